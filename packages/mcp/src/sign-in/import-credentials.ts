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
  /** Where ours goes; what is there stays until the new one is checked and whole */
  to: string;
  /** Instead of the relayer that the file names */
  relayerUrl?: string | undefined;
  /** Where a local system would be */
  dataDir: string;
  fetch?: typeof globalThis.fetch;
}

/** The chain of the relayer has the key already. */
const patienceMs = 0;

/**
 * Takes over the key of a MemWal credential file, once the relayer's chain confirms it like that of a sign-in: package,
 * account, owner, key, and that its time is not over. Throws `SignInError`; nothing is written then.
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
      `${path} was not imported: its key is registered with the contract ${packageId}, and the relayer ${relayerUrl} uses another one. Name a relayer of the same network with --relayer URL, or sign in for a new key: npx memrelay-mcp login`,
    );
  if (error === 'relayer_unreachable')
    return new SignInError(
      'refused',
      `${path} was not imported: the relayer ${relayerUrl} cannot be reached. Name another one with --relayer URL.`,
    );
  return new SignInError('refused', `${path} was not imported: ${message}`);
}
