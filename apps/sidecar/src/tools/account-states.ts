import type { Account } from '@memrelay/chain/account-bcs';
import { readAccount } from '@memrelay/chain/account-reader';
import type { ChainClient } from '@memrelay/chain/chain-client';
import { createReadsInTurn } from '@memrelay/chain/reads-in-turn';
import { ApiError } from '@memrelay/protocol/errors';
import { LRUCache } from 'lru-cache';

/** Accounts as the chain has them, for the credentials of tool requests. */
export interface AccountStates {
  /**
   * At most three seconds old; while the chain cannot be asked, a minute. With an age in ms it is never older than that.
   * Undefined: there is no such account. Throws `auth_unavailable`.
   */
  account(accountId: string, maxAgeMs?: number): Promise<Account | undefined>;
  /**
   * Read after this call. However many ask, an account has one such read under way at a time. Undefined and throws as
   * above.
   */
  freshAccount(accountId: string): Promise<Account | undefined>;
  /** The account changed: what is known of it is not used again */
  drop(accountId: string): void;
}

/** Revocation holds within 5 s also where its event does not come through (security.md, "Account module"). */
const cacheMs = 3_000;
/** Every tool call is checked again by the relayer, which alone decrypts and deletes. */
const outageMs = 60_000;
/** A made-up id is not asked for again and again. */
const missingMs = 2_000;

interface Known {
  account: Account;
  objectVersion: bigint;
  /** When the read began */
  atMs: number;
}

/** A read under way. */
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
  /** Apart, so that made-up ids cannot push known ones out */
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
    // A node that is behind says nothing about now
    if (before && before.objectVersion > found.objectVersion) throw new Error('an outdated answer');
    known.set(accountId, { account: found.account, objectVersion: found.objectVersion, atMs });
    dropped.delete(accountId);
    return found.account;
  }

  /** Joins a read that began at most `maxAgeMs` ago: what happened since it began it may not tell. */
  function readOnce(accountId: string, maxAgeMs: number): Promise<Account | undefined> {
    const running = flights.get(accountId);
    if (running && now() - running.atMs <= maxAgeMs) return running.account;
    const flight = { atMs: now(), account: read(accountId) };
    flights.set(accountId, flight);
    const landed = (): void => {
      if (flights.get(accountId) === flight) flights.delete(accountId);
    };
    flight.account.then(landed, landed);
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
      // A read that began before the change may not tell it
      flights.delete(accountId);
    },
  };
}
