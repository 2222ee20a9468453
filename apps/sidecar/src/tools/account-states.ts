import type { Account } from '@memrelay/chain/account-bcs';
import { readAccount } from '@memrelay/chain/account-reader';
import type { ChainClient } from '@memrelay/chain/chain-client';
import { createReadsInTurn } from '@memrelay/chain/reads-in-turn';
import { ApiError } from '@memrelay/protocol/errors';
import { LRUCache } from 'lru-cache';

/** Account states from the chain, for checking the credentials of tool requests. */
export interface AccountStates {
  /**
   * At most 3 s old, or 60 s while the chain is unreachable. With `maxAgeMs` it is never older than that. Undefined if the
   * account does not exist. Throws `auth_unavailable`.
   */
  account(accountId: string, maxAgeMs?: number): Promise<Account | undefined>;
  /**
   * Read from the chain after this call. Concurrent callers share one running read per account. Returns and throws as
   * above.
   */
  freshAccount(accountId: string): Promise<Account | undefined>;
  /** Call when the account changed: cached state is not used again */
  drop(accountId: string): void;
}

/** A revocation takes effect within 5 s even if its event is lost (security.md, "Account module"). */
const cacheMs = 3_000;
/** Acceptable because only the relayer decrypts and deletes, and it checks every tool call itself. */
const outageMs = 60_000;
/** How long a missing account is cached, so that made-up ids do not cause repeated reads. */
const missingMs = 2_000;

interface Known {
  account: Account;
  objectVersion: bigint;
  /** When the read started */
  atMs: number;
}

/** A running read. */
interface Flight {
  atMs: number;
  account: Promise<Account | undefined>;
}

export function createAccountStates(options: {
  chain: ChainClient;
  packageId: string;
  /** Milliseconds of a clock that never goes back */
  now?: () => number;
}): AccountStates {
  const { chain, packageId, now = () => performance.now() } = options;
  const known = new LRUCache<string, Known>({ max: 5_000 });
  /** A separate cache, so that made-up ids cannot evict known accounts */
  const missingAtMs = new LRUCache<string, number>({ max: 5_000 });
  const dropped = new LRUCache<string, true>({ max: 5_000 });
  const flights = new Map<string, Flight>();
  const inTurn = createReadsInTurn<Account | undefined>(now);

  async function read(accountId: string): Promise<Account | undefined> {
    const atMs = now();
    const found = await readAccount(chain, packageId, accountId);
    if (!found) {
      missingAtMs.set(accountId, atMs);
      return undefined;
    }
    const before = known.peek(accountId);
    // A node that lags behind does not know the current state
    if (before && before.objectVersion > found.objectVersion)
      throw new Error('the node returned an outdated account');
    known.set(accountId, { account: found.account, objectVersion: found.objectVersion, atMs });
    dropped.delete(accountId);
    return found.account;
  }

  /** Joins a running read that started at most `maxAgeMs` ago; it may miss later changes. */
  function readOnce(accountId: string, maxAgeMs: number): Promise<Account | undefined> {
    const running = flights.get(accountId);
    if (running && now() - running.atMs <= maxAgeMs) return running.account;
    const flight = { atMs: now(), account: read(accountId) };
    flights.set(accountId, flight);
    const removeFlight = (): void => {
      if (flights.get(accountId) === flight) flights.delete(accountId);
    };
    flight.account.then(removeFlight, removeFlight);
    return flight.account;
  }

  return {
    async account(accountId, maxAgeMs) {
      const entry = known.get(accountId);
      const ageMs = entry && !dropped.has(accountId) ? now() - entry.atMs : Number.POSITIVE_INFINITY;
      if (entry && ageMs <= (maxAgeMs ?? cacheMs)) return entry.account;
      if (now() - (missingAtMs.get(accountId) ?? Number.NEGATIVE_INFINITY) <= missingMs) return undefined;
      try {
        return await readOnce(accountId, maxAgeMs ?? cacheMs);
      } catch (cause) {
        if (entry && maxAgeMs === undefined && ageMs <= outageMs) return entry.account;
        throw new ApiError('auth_unavailable', { cause });
      }
    },
    async freshAccount(accountId) {
      try {
        return await inTurn(accountId, now(), () => readOnce(accountId, 0));
      } catch (cause) {
        throw new ApiError('auth_unavailable', { cause });
      }
    },
    drop(accountId) {
      dropped.set(accountId, true);
      missingAtMs.delete(accountId);
      // A read that started before the change may miss it
      flights.delete(accountId);
    },
  };
}
