import { readFile, stat } from 'node:fs/promises';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { AccountOwner } from '@memrelay/sdk/account/account-owner';
import { loadCredentials } from '@memrelay/sdk/credentials-node';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { MemRelayError } from '@memrelay/sdk/errors';
import type { ConnectOptions } from '../client/connect.ts';
import { systemPaths } from '../system/system-paths.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import { fileTrouble } from '../terminal/explain-error.ts';

/** Options of every command that the owner's wallet signs. */
export interface OwnerOptions extends ConnectOptions {
  /** File with the wallet's key */
  wallet?: string;
  /** Account id; default: that of the credentials, else the one the wallet created */
  account?: string;
  /** Do not ask before signing */
  yes?: boolean;
  /** False: the wallet pays the gas itself */
  sponsor?: boolean;
}

export interface ConnectedOwner {
  owner: AccountOwner;
  serverUrl: string;
  credentials: CredentialFile | undefined;
}

/**
 * The owner of `--wallet`, else of the local system's wallet file, at the relayer of `--server` or of the credentials.
 * Throws `ExitError` when the wallet cannot be used, and what `AccountOwner.connect` throws.
 */
export async function connectOwner(
  options: OwnerOptions,
  environment: NodeJS.ProcessEnv,
): Promise<ConnectedOwner> {
  const path = options.wallet ?? systemPaths(dataDir(environment)).wallet;
  const signer = parsePrivateKey(await readWallet(path));
  const credentials = await credentialsOf(options);
  const serverUrl = options.server ?? credentials?.relayerUrl;
  if (serverUrl === undefined)
    throw new ExitError(
      exitCodes.usage,
      'Name a relayer with --server URL: there are no credentials to take it from.',
    );
  const owner = await AccountOwner.connect({
    serverUrl,
    signer,
    sponsored: options.sponsor !== false,
    ...(credentials && options.server === undefined ? { packageId: credentials.packageId } : {}),
  });
  return { owner, serverUrl, credentials };
}

/** Connects the owner and determines the account. Throws `ExitError` if there is none, and like `connectOwner`. */
export async function connectAccount(
  options: OwnerOptions,
  environment: NodeJS.ProcessEnv,
): Promise<ConnectedOwner & { accountId: string }> {
  const connected = await connectOwner(options, environment);
  const { owner, credentials } = connected;
  const own = credentials?.walletAddress === owner.address ? credentials.accountId : undefined;
  const accountId = options.account ?? own ?? (await owner.findAccount());
  if (accountId !== undefined) return { ...connected, accountId };
  throw new ExitError(
    exitCodes.usage,
    `The wallet ${owner.address} has no account yet: make one with \`npx memrelay account create\`, or name another with --account ID.`,
  );
}

async function credentialsOf(options: OwnerOptions): Promise<CredentialFile | undefined> {
  try {
    return await loadCredentials(options.credentials);
  } catch (error) {
    // An owner needs no delegate's credentials, unless they were asked for or the address must come from them
    if (error instanceof MemRelayError && options.credentials === undefined && options.server)
      return undefined;
    throw error;
  }
}

/** `{"privateKey": …}` as the local system writes it, or the key alone (`suiprivkey1…` or 64 hex digits). */
async function readWallet(path: string): Promise<string> {
  const refuse = (what: string): ExitError =>
    new ExitError(exitCodes.usage, `${path} ${what}`, { code: 'wallet_unusable' });
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw fileTrouble(error, path) ?? error;
    throw refuse('does not exist: name the file with the owner’s key with --wallet PATH.');
  });
  if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0)
    throw refuse('can be read by other users: change that with chmod 600.');
  const key = text.trimStart().startsWith('{') ? keyOfJson(text) : text.trim();
  try {
    parsePrivateKey(key ?? '');
  } catch {
    throw refuse('holds no private key (suiprivkey1…, 64 hex digits, or JSON with privateKey).');
  }
  return key!;
}

function keyOfJson(text: string): string | undefined {
  try {
    const { privateKey } = JSON.parse(text) as { privateKey?: unknown };
    return typeof privateKey === 'string' ? privateKey : undefined;
  } catch {
    return undefined;
  }
}
