/**
 * Which nonces were used. Everything here throws `ApiError('auth_unavailable')` when the store cannot answer:
 * nothing is accepted without a recorded nonce. `timestamp_out_of_window` when the database's clock shows that this
 * relayer's is wrong.
 */
export interface NonceStore {
  /**
   * Records the key for `ttlSeconds`, durably, before it answers; `seen` when it was recorded already. `signedAt` is the
   * request's timestamp in Unix seconds: a request that an earlier store may have accepted is refused.
   */
  remember(key: Buffer, signedAt: number, ttlSeconds: number): Promise<'fresh' | 'seen'>;
  health(): { ok: boolean; detail?: string };
  /** Set while relayers that are alive use another nonce store on the same database, so that this one is not used */
  holder(): StoreHolder | undefined;
  close(): Promise<void>;
}

/** The nonce store that other relayers use. */
export interface StoreHolder {
  /** `table`, or `redis/` and the run id of the server */
  server: string;
  /** When one of them last showed that it is alive, by the database's clock */
  seenAt: Date;
}

/** Identifies a request for good: the decoded public key and UUID, so that another spelling gives the same key. */
export function nonceKey(publicKey: string, nonce: string): Buffer {
  return Buffer.from(publicKey + nonce.replaceAll('-', ''), 'hex');
}
