import { tokenAlreadyUsed, tokenCacheFull } from './auth-error.ts';

export interface ReplayCacheOptions {
  /** How many tokens are remembered */
  size: number;
  /** How often those that have ended are forgotten, in milliseconds */
  refreshIntervalMs: number;
}

/** Which tokens have been used, so that each is good for one store. Kept in memory: a restart forgets. */
export interface ReplayCache {
  /**
   * Notes a token until `untilMs`. Throws 429 when it is noted already, and 500 when there is no place left
   * among tokens that have not ended.
   */
  add(jti: string, untilMs: number): void;
  /** Forgets a token whose store was refused before it began. */
  remove(jti: string): void;
}

export function createReplayCache({ size, refreshIntervalMs }: ReplayCacheOptions): ReplayCache {
  const used = new Map<string, number>();
  let refreshedAt = Date.now();

  function refresh(now: number): void {
    refreshedAt = now;
    for (const [jti, untilMs] of used) if (untilMs <= now) used.delete(jti);
  }

  return {
    add(jti, untilMs) {
      const now = Date.now();
      if (now - refreshedAt >= refreshIntervalMs) refresh(now);
      if (used.has(jti)) throw tokenAlreadyUsed();
      if (used.size >= size) refresh(now);
      if (used.size >= size) throw tokenCacheFull();
      used.set(jti, untilMs);
    },
    remove(jti) {
      used.delete(jti);
    },
  };
}
