import { ApiError } from '@memrelay/protocol/errors';
import { timestampWindowSeconds } from '@memrelay/protocol/signing';
import type { Logger } from 'pino';
import { type Claim, coverAheadSeconds, type NonceEpoch, type StoreIdentity } from '../rows/nonce-epoch.ts';
import type { NonceStore, StoreHolder } from './nonce-store.ts';

/**
 * The window in which a store accepts requests, measured by the clock that expires its nonces: a request is accepted at
 * most this long before or after it was signed, and its nonce is kept for longer (660 s). So the request expires before
 * its nonce, even if a relayer's clock was set back to the time of signing.
 */
export const storeWindowSeconds = timestampWindowSeconds + 20;

export type RecordAnswer = 'fresh' | 'seen' | 'changed' | 'expired';

export interface ClaimedNoncesOptions {
  epoch: NonceEpoch;
  /** The current identity of the store, or why it must not be used */
  identify(): Promise<{ store: StoreIdentity } | { problem: string }>;
  /**
   * Records one nonce. Returns `changed` when the store is no longer the claimed one, so that its answer is
   * meaningless, and `expired` when its clock differs from `signedAt` by more than `storeWindowSeconds`.
   */
  record(claim: Claim, key: Buffer, signedAt: number, ttlSeconds: number): Promise<RecordAnswer>;
  log: Logger;
  /** Unix time in ms */
  now: () => number;
}

/** A nonce store that is used only under a claim on it (`NonceEpoch`). */
export interface ClaimedNonces extends Pick<NonceStore, 'remember' | 'health' | 'holder'> {
  /** Identifies the store again and claims it. Does not throw. */
  check(): Promise<void>;
  /** The store cannot be reached: refuse everything until the next `check` */
  lose(problem: string): void;
  stop(): void;
}

const retryMs = 1_000;
const warnEveryMs = 60_000;

export function createClaimedNonces(options: ClaimedNoncesOptions): ClaimedNonces {
  const { epoch, log, now } = options;
  let claim: Claim | undefined;
  let holder: StoreHolder | undefined;
  let problem = 'not connected';
  let checking: Promise<void> | undefined;
  /** Number of lost claims: a check that began before a loss is ignored */
  let losses = 0;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;
  const covering = new Map<string, ReturnType<NonceEpoch['cover']>>();
  let warnedMs = -Infinity;

  async function claimNow(own: number): Promise<void> {
    const found = await options.identify();
    if ('problem' in found) {
      if (own === losses) problem = found.problem;
      return;
    }
    const result = await epoch.claim(found.store);
    if (own !== losses) return;
    if ('holder' in result) {
      holder = result.holder;
      problem = 'relayers on the same database use another nonce store';
      log.error({ server: holder.server }, problem);
      return;
    }
    holder = undefined;
    claim = result;
    if (result.changed)
      log.warn(
        { accepts_after: result.acceptsAfter },
        'the nonce store has changed or lost its nonces: requests signed before the change are refused',
      );
  }

  async function run(): Promise<void> {
    const own = losses;
    claim = undefined;
    clearTimeout(retry);
    try {
      await claimNow(own);
    } catch (error) {
      if (own !== losses || stopped) return;
      problem = 'the nonce store cannot be checked';
      log.warn({ err: error }, problem);
    }
    if (!claim && own === losses && !stopped) retry = setTimeout(check, retryMs).unref();
  }

  function check(): Promise<void> {
    if (checking) return checking;
    const started = run().finally(() => {
      if (checking === started) checking = undefined;
    });
    checking = started;
    return started;
  }

  /** The request passed the check against this relayer's clock, so either that clock or the other one is wrong. */
  function refuseWrongClock(other: string): never {
    if (performance.now() - warnedMs > warnEveryMs) {
      warnedMs = performance.now();
      log.error(`the clock of this relayer differs from ${other}: requests are refused until they agree`);
    }
    throw new ApiError('timestamp_out_of_window');
  }

  /** Requests of the same second wait for the same statement. */
  function cover(current: Claim, signedAt: number): ReturnType<NonceEpoch['cover']> {
    const flight = `${current.version}/${signedAt}`;
    const running = covering.get(flight);
    if (running) return running;
    const started = epoch.cover(current, signedAt).finally(() => covering.delete(flight));
    covering.set(flight, started);
    return started;
  }

  /** The claim under which this request may be recorded. Throws if there is none. */
  async function claimFor(signedAt: number): Promise<Claim> {
    if (!claim) await checking;
    const current = claim;
    if (!current) throw new ApiError('auth_unavailable');
    if (signedAt <= current.acceptsAfter)
      throw new ApiError('auth_unavailable', {
        message:
          'The nonce store has changed, and requests signed before that are refused. Sign the request again later.',
        retryAfter: Math.max(1, current.acceptsAfter + 1 - Math.floor(now() / 1000)),
      });
    if (signedAt <= current.covered) {
      // Ahead of time, so that no request has to wait for it
      if (signedAt > current.covered - coverAheadSeconds / 2) cover(current, signedAt).catch(() => undefined);
      return current;
    }
    const state = await cover(current, signedAt);
    if (state === 'changed') {
      void check();
      throw new ApiError('auth_unavailable');
    }
    if (state === 'ahead') refuseWrongClock("the database's");
    return current;
  }

  return {
    async remember(key, signedAt, ttlSeconds) {
      let answer: RecordAnswer;
      let current: Claim;
      try {
        current = await claimFor(signedAt);
        answer = await options.record(current, key, signedAt, ttlSeconds);
      } catch (cause) {
        if (cause instanceof ApiError) throw cause;
        throw new ApiError('auth_unavailable', { cause });
      }
      if (answer === 'changed' && claim === current) void check();
      if (answer === 'changed' || claim !== current) throw new ApiError('auth_unavailable');
      if (answer === 'expired') refuseWrongClock("the nonce store's");
      return answer;
    },
    health() {
      if (!claim) return { ok: false, detail: problem };
      const waitSeconds = claim.acceptsAfter + 1 - Math.floor(now() / 1000);
      return waitSeconds > 0
        ? { ok: false, detail: `changed; requests are accepted again in ${waitSeconds} s` }
        : { ok: true };
    },
    holder: () => holder,
    check,
    lose(why) {
      losses += 1;
      claim = undefined;
      checking = undefined;
      problem = why;
      clearTimeout(retry);
      epoch.leave();
    },
    stop() {
      stopped = true;
      clearTimeout(retry);
    },
  };
}
