import { ApiError } from '@memrelay/protocol/errors';
import { nonceTtlSeconds } from '@memrelay/protocol/signing';
import { type NonceStore, nonceKey } from '../nonces/nonce-store.ts';
import type { AuthHeaders } from './auth-headers.ts';

/**
 * Records the nonce of a request whose signer is known. Throws `nonce_replayed`, and `auth_unavailable` when the
 * store cannot answer or has lost the nonces of the time at which the request was signed.
 */
export async function recordNonce(nonces: NonceStore, auth: AuthHeaders): Promise<void> {
  // No await between the two: both must speak of the same run of the store
  if (Number(auth.timestamp) < nonces.acceptsFrom()) throw new ApiError('auth_unavailable');
  const state = await nonces.remember(nonceKey(auth.publicKey, auth.nonce), nonceTtlSeconds);
  if (state === 'seen') throw new ApiError('nonce_replayed');
}
