import { ApiError } from '@memrelay/protocol/errors';
import type { Caller } from './caller.ts';

/**
 * Said before any work is done, and also where there is nothing to decrypt: something has to be there with which the
 * sidecar can open. Throws `decrypt_credential_required`.
 */
export function requireDecryptCredential(
  { serverAddress }: { serverAddress: string | undefined },
  { account, credentials }: Caller,
): void {
  if (credentials.encSession || credentials.delegateKey) return;
  if (account.delegates.some(({ address }) => address === serverAddress)) return;
  throw new ApiError('decrypt_credential_required');
}
