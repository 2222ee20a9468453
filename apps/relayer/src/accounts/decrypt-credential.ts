import { ApiError } from '@memrelay/protocol/errors';
import type { Caller } from './caller.ts';

interface ServerKey {
  serverAddress: string | undefined;
}

/** Whether there is something with which the sidecar could open, if the key servers agree. */
export function hasDecryptCredential(
  { serverAddress }: ServerKey,
  { account, credentials }: Caller,
): boolean {
  if (credentials.encSession || credentials.delegateKey) return true;
  return account.delegates.some(({ address }) => address === serverAddress);
}

/**
 * Said before any work is done, and also where there is nothing to decrypt: something has to be there with which the
 * sidecar can open. Throws `decrypt_credential_required`.
 */
export function requireDecryptCredential(server: ServerKey, caller: Caller): void {
  if (!hasDecryptCredential(server, caller)) throw new ApiError('decrypt_credential_required');
}
