/**
 * Which nonces were used. Everything here throws `ApiError('auth_unavailable')` when the store cannot answer:
 * nothing is accepted without a recorded nonce.
 */
export interface NonceStore {
  /** Records the key for `ttlSeconds`, durably, before it answers; `seen` when it was recorded already. */
  remember(key: Buffer, ttlSeconds: number): Promise<'fresh' | 'seen'>;
  /**
   * Unix seconds: a request signed earlier must be refused, because nonces of that time were lost. 0 when the
   * store remembers everything.
   */
  acceptsFrom(): number;
  health(): { ok: boolean; detail?: string };
  close(): Promise<void>;
}

/** What identifies a request for ever: the decoded public key and the decoded UUID, so that spelling is no escape. */
export function nonceKey(publicKey: string, nonce: string): Buffer {
  return Buffer.from(publicKey + nonce.replaceAll('-', ''), 'hex');
}
