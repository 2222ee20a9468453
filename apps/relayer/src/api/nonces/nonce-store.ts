/**
 * The nonces that were used. All methods throw `ApiError('auth_unavailable')` when the store does not respond: no
 * request is accepted without a recorded nonce. They throw `timestamp_out_of_window` when the database's clock shows
 * that this relayer's clock is wrong.
 */
export interface NonceStore {
  /**
   * Durably records the key for `ttlSeconds` before it returns; `seen` when the key was already recorded. `signedAt` is
   * the request's timestamp in Unix seconds: a request that an earlier store may have accepted is refused.
   */
  remember(key: Buffer, signedAt: number, ttlSeconds: number): Promise<'fresh' | 'seen'>;
  health(): { ok: boolean; detail?: string };
  /** Set while running relayers on the same database use another nonce store, so that this one must not be used */
  holder(): StoreHolder | undefined;
  close(): Promise<void>;
}

/** The nonce store that other relayers use. */
export interface StoreHolder {
  /** `table`, or `redis/` and the run id of the server */
  server: string;
  /** When one of them last sent a heartbeat, by the database's clock */
  seenAt: Date;
}

/** Unique key of a request: the decoded public key and UUID, so that different spellings give the same key. */
export function nonceKey(publicKey: string, nonce: string): Buffer {
  return Buffer.from(publicKey + nonce.replaceAll('-', ''), 'hex');
}
