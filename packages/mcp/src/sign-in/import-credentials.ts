import { fromHex } from '@memrelay/protocol/bytes';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { saveCredentials } from '@memrelay/sdk/save-credentials-node';
import { checkRegistration } from './check-registration.ts';
import { checkWallet } from './check-wallet.ts';
import { credentialsOf } from './credentials-of.ts';
import { expectedWallet } from './expected-wallet.ts';
import { readOriginalCredentials } from './original-credentials.ts';
import { Refusal } from './refusal.ts';
import { SignInError } from './sign-in-error.ts';

export interface ImportCredentialsOptions {
  /** The file of MemWal's clients */
  from: string;
  /** Path of our credential file; an existing file is replaced only after the imported key was verified */
  to: string;
  /** Overrides the relayer in the file */
  relayerUrl?: string | undefined;
  /** Data directory of a local system, if there is one */
  dataDir: string;
  fetch?: typeof globalThis.fetch;
}

/** Does not wait: the key was registered earlier, so it is already on the relayer's chain. */
const patienceMs = 0;

/**
 * Imports the key of a MemWal credential file after verifying it on the relayer's chain, as for a sign-in: package, account,
 * owner, key, and that it has not expired. Throws `SignInError` without writing anything.
 */
export async function importCredentials(options: ImportCredentialsOptions): Promise<CredentialFile> {
  const original = await readOriginalCredentials(options.from);
  const { walletAddress, accountId, packageId, createdAt } = original;
  const relayerUrl = options.relayerUrl ?? original.relayerUrl;
  const key = { privateKey: fromHex(original.delegatePrivateKey), accountId, walletAddress, packageId };
  try {
    checkWallet(key, await expectedWallet(relayerUrl, options.dataDir));
    const { fetch = globalThis.fetch } = options;
    const delegate = await checkRegistration({ relayerUrl, handOver: key, fetch, patienceMs });
    const credentials = { ...credentialsOf(key, delegate, relayerUrl), createdAt };
    await saveCredentials(options.to, credentials);
    return credentials;
  } catch (error) {
    throw error instanceof Refusal ? refused(error, options.from, relayerUrl, packageId) : error;
  } finally {
    key.privateKey.fill(0);
  }
}

function refused(
  { error, message }: Refusal,
  path: string,
  relayerUrl: string,
  packageId: string,
): SignInError {
  if (error === 'other_package')
    return new SignInError(
      'refused',
      `${path} was not imported: its key is registered with the contract ${packageId}, but the relayer ${relayerUrl} uses a different one. Pass a relayer of the same network with --relayer URL, or sign in to get a new key: npx memrelay-mcp login`,
    );
  if (error === 'relayer_unreachable')
    return new SignInError(
      'refused',
      `${path} was not imported: the relayer ${relayerUrl} cannot be reached. Pass another one with --relayer URL.`,
    );
  return new SignInError('refused', `${path} was not imported: ${message}`);
}
