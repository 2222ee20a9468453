import { tokenAlreadyUsed, tokenCacheFull } from './auth-error.ts';

export interface ReplayCacheOptions {
  /** How many tokens are remembered */
  size: number;
  /** How often expired tokens are removed, in milliseconds */
  refreshIntervalMs: number;
}

/** Remembers used tokens, so that each is valid for one store. Kept in memory, so a restart forgets them. */
export interface ReplayCache {
  /**
   * Remembers a token until `untilMs` (milliseconds since 1970). Throws 429 if the token was used already, and 500
   * if the cache is full of tokens that have not expired.
   */
  add(jti: string, untilMs: number): void;
  /** Forgets a token whose store was rejected before it began, so that it can be used again. */
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
