import { createReadsInTurn, type ReadInTurn } from '@memrelay/chain/reads-in-turn';
import { ApiError } from '@memrelay/protocol/errors';
import { LRUCache } from 'lru-cache';
import type { CountLookup } from '../base/metrics/metrics.ts';
import type { AccountSnapshot } from './account-directory.ts';

/** How long a cached account may be used while the chain is unreachable (security.md, "Requests and sessions"). */
const outageAgeMs = 60_000;
/** Pause after a failed read before the chain is queried again. */
const retryAfterMs = 1_000;

/** The node returned an older state than one already seen. The chain itself may be fine. */
export class OutdatedAnswerError extends Error {
  override name = 'OutdatedAnswerError';
}

export interface AccountCacheOptions {
  /** Reads an account. Throws if it cannot be read, or only in an older version than one already seen. */
  read(accountId: string): Promise<AccountSnapshot | undefined>;
  /** Maximum age of a cached account. From half of it on, the account is refreshed in the background. */
  cacheMs: number;
  /** Monotonic clock in ms */
  now(): number;
  count?: CountLookup | undefined;
}

interface Entry {
  /** Undefined if the account does not exist */
  account: AccountSnapshot | undefined;
  /** When the read began, so the state is at least this new */
  readAtMs: number;
}

/** A read in progress. */
interface Flight {
  readAtMs: number;
  account: Promise<AccountSnapshot | undefined>;
}

/**
 * Caches accounts by id for a few seconds, with one read at a time per account, and serves older states in an outage.
 */
export class AccountCache {
  readonly #options: AccountCacheOptions;
  readonly #known = new LRUCache<string, Entry>({ max: 20_000 });
  /** Separate from the existing accounts, so that made-up ids cannot evict them */
  readonly #missing = new LRUCache<string, Entry>({ max: 10_000 });
  readonly #flights = new Map<string, Flight>();
  readonly #inTurn: ReadInTurn<AccountSnapshot | undefined>;
  /** Set if the last read failed */
  #failure: { atMs: number; cause: unknown } | undefined;

  constructor(options: AccountCacheOptions) {
    this.#options = options;
    this.#inTurn = createReadsInTurn(options.now);
  }

  /** When and why the last read failed, undefined when it succeeded. */
  get failure(): { atMs: number; cause: unknown } | undefined {
    return this.#failure;
  }

  async get(accountId: string, maxAge = Number.POSITIVE_INFINITY): Promise<AccountSnapshot | undefined> {
    const maxAgeMs = Math.min(maxAge, this.#options.cacheMs);
    const entry = this.#known.get(accountId) ?? this.#missing.get(accountId);
    const age = entry ? this.#options.now() - entry.readAtMs : Number.POSITIVE_INFINITY;
    const isFresh = entry !== undefined && age <= maxAgeMs;
    this.#options.count?.(isFresh);
    if (isFresh) {
      if (age > this.#options.cacheMs / 2 && !this.#isResting())
        this.#read(accountId, maxAgeMs).catch(() => undefined);
      return entry.account;
    }
    if (this.#isResting()) return this.#duringOutage(accountId, this.#failure?.cause);
    try {
      return await this.#read(accountId, maxAgeMs);
    } catch (error) {
      return this.#duringOutage(accountId, error);
    }
  }

  /**
   * The account, to look for this delegate in it: from the cache if the cached account lists the key (64 hex digits),
   * else from a read that began after this call. Each account has at most one such read at a time, however many unknown
   * keys are looked for.
   */
  async withDelegate(accountId: string, publicKey: string): Promise<AccountSnapshot | undefined> {
    const sinceMs = this.#options.now();
    const account = await this.get(accountId);
    const isListed = account?.delegates.some((delegate) => delegate.publicKey === publicKey);
    const entry = this.#known.peek(accountId) ?? this.#missing.peek(accountId);
    if (isListed || account?.stale || (entry && entry.readAtMs >= sinceMs)) return account;
    if (this.#isResting()) return this.#duringOutage(accountId, this.#failure?.cause, sinceMs);
    try {
      return await this.#inTurn(accountId, sinceMs, () => this.#read(accountId, 0));
    } catch (error) {
      return this.#duringOutage(accountId, error, sinceMs);
    }
  }

  /** Caches an account that was read elsewhere. A lower version never replaces a higher one. */
  put(account: AccountSnapshot, readAtMs: number): void {
    const before = this.#known.peek(account.accountId);
    if (before?.account && before.account.objectVersion > account.objectVersion) return;
    if (before && before.readAtMs > readAtMs) return;
    this.#missing.delete(account.accountId);
    this.#known.set(account.accountId, { account, readAtMs });
  }

  peek(accountId: string): AccountSnapshot | undefined {
    return this.#known.peek(accountId)?.account;
  }

  drop(accountId: string): void {
    this.#known.delete(accountId);
    this.#missing.delete(accountId);
  }

  /** Joins a read that began at most `maxAgeMs` ago, or starts one. A joined read may miss later changes. */
  #read(accountId: string, maxAgeMs: number): Promise<AccountSnapshot | undefined> {
    const running = this.#flights.get(accountId);
    const readAtMs = this.#options.now();
    if (running && readAtMs - running.readAtMs <= maxAgeMs) return running.account;
    const account = this.#options.read(accountId).then(
      (found) => {
        this.#failure = undefined;
        if (found) this.put(found, readAtMs);
        else this.#missing.set(accountId, { account: found, readAtMs });
        return found;
      },
      (error: unknown) => {
        if (!(error instanceof OutdatedAnswerError))
          this.#failure = { atMs: this.#options.now(), cause: error };
        throw error;
      },
    );
    const flight = { readAtMs, account };
    this.#flights.set(accountId, flight);
    const done = (): void => {
      if (this.#flights.get(accountId) === flight) this.#flights.delete(accountId);
    };
    account.then(done, done);
    return account;
  }

  #isResting(): boolean {
    return this.#failure !== undefined && this.#options.now() - this.#failure.atMs < retryAfterMs;
  }

  /** `sinceMs`: an account that was read before this is marked as stale. */
  #duringOutage(accountId: string, cause: unknown, sinceMs = Number.NEGATIVE_INFINITY): AccountSnapshot {
    const entry = this.#known.get(accountId);
    const age = entry ? this.#options.now() - entry.readAtMs : Number.POSITIVE_INFINITY;
    if (entry?.account && age <= outageAgeMs) {
      const isFresh = age <= this.#options.cacheMs && entry.readAtMs >= sinceMs;
      return isFresh ? entry.account : { ...entry.account, stale: true };
    }
    throw new ApiError('auth_unavailable', { cause });
  }
}
