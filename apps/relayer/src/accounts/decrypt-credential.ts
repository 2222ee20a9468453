import { ApiError } from '@memrelay/protocol/errors';
import type { Caller } from './caller.ts';

interface ServerKey {
  serverAddress: string | undefined;
}

/** Whether there is a credential with which the sidecar can ask the key servers to decrypt. They may still refuse. */
export function hasDecryptCredential(
  { serverAddress }: ServerKey,
  { account, credentials }: Caller,
): boolean {
  if (credentials.encSession || credentials.delegateKey) return true;
  return account.delegates.some(({ address }) => address === serverAddress);
}

/**
 * Throws `decrypt_credential_required` when the sidecar has no credential to decrypt with. Call it before any work,
 * even if there may be nothing to decrypt.
 */
export function requireDecryptCredential(server: ServerKey, caller: Caller): void {
  if (!hasDecryptCredential(server, caller)) throw new ApiError('decrypt_credential_required');
}
