import { ApiError } from '@memrelay/protocol/errors';
import { nonceTtlSeconds } from '@memrelay/protocol/signing';
import { type NonceStore, nonceKey } from '../nonces/nonce-store.ts';
import type { AuthHeaders } from './auth-headers.ts';

/**
 * Records the nonce of a request whose signer is known. Throws `nonce_replayed`, and `auth_unavailable` when the
 * store cannot answer, or when the request may have been accepted with an earlier store. Throws
 * `timestamp_out_of_window` when the request is in the window only because this relayer's clock is wrong.
 */
export async function recordNonce(nonces: NonceStore, auth: AuthHeaders): Promise<void> {
  const key = nonceKey(auth.publicKey, auth.nonce);
  const state = await nonces.remember(key, Number(auth.timestamp), nonceTtlSeconds);
  if (state === 'seen') throw new ApiError('nonce_replayed');
}
