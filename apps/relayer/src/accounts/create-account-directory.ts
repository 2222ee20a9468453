import type { AccountEvent } from '@memrelay/chain/account-bcs';
import { readAccount, readAccounts } from '@memrelay/chain/account-reader';
import type { ChainClient } from '@memrelay/chain/chain-client';
import { ApiError } from '@memrelay/protocol/errors';
import type { Logger } from 'pino';
import type { Db } from '../base/db/db.ts';
import { AccountCache, OutdatedAnswerError } from './account-cache.ts';
import type { AccountDirectory, AccountSnapshot } from './account-directory.ts';
import { toSnapshot } from './account-snapshot.ts';
import { EventWatcher } from './event-watcher.ts';
import { accountsWithKey, recordAccount, wasSeen } from './rows/account-rows.ts';
import { readPastWriters, recordPastDelegates } from './rows/past-delegates.ts';

export interface AccountDirectoryOptions {
  chain: ChainClient;
  packageId: string;
  db: Db;
  log: Logger;
  /** Age up to which a cached account is an answer; default 4000, so that a revocation is seen within 5 s */
  cacheMs?: number;
  /** Pause between two reads of the event feed; default 1000 ms */
  pollMs?: number;
  /** Milliseconds of a clock that never goes back */
  now?: () => number;
}

/** The feed was this long behind the tip: `/ready` says so. */
const feedLagMs = 30_000;
/** How recently the feed must have been at the tip to know all past writers. */
const writersAgeMs = 100;

/** The account directory on a real chain and database. Follows the event feed until it is closed. */
export function createAccountDirectory(options: AccountDirectoryOptions): AccountDirectory {
  const {
    chain,
    packageId,
    db,
    log,
    cacheMs = 4_000,
    pollMs = 1_000,
    now = () => performance.now(),
  } = options;
  const listeners: ((accountId: string) => void)[] = [];

  function changed(accountId: string): void {
    for (const listener of listeners) {
      try {
        listener(accountId);
      } catch (error) {
        log.error({ err: error }, 'a listener to account changes failed');
      }
    }
  }

  /** Returns whether the account is newer than what this relayer knew. Throws when it is older. */
  async function accept(account: AccountSnapshot): Promise<boolean> {
    const result = await recordAccount(db, account);
    if (result === 'outdated')
      throw new OutdatedAnswerError('the node answered an older state of the account than seen before');
    const before = cache.peek(account.accountId);
    return result === 'newer' || (before !== undefined && before.objectVersion < account.objectVersion);
  }

  async function read(accountId: string): Promise<AccountSnapshot | undefined> {
    const object = await readAccount(chain, packageId, accountId);
    if (!object) {
      if (await wasSeen(db, accountId))
        throw new OutdatedAnswerError('the node does not know an account that was seen before');
      return undefined;
    }
    const account = toSnapshot(object);
    if (await accept(account)) changed(accountId);
    return account;
  }

  const cache = new AccountCache({ read, cacheMs, now });

  /** Reads the accounts of a page of events again, so that the tables hold states, not sums of events. */
  async function handle(events: readonly AccountEvent[]): Promise<void> {
    const ids = [...new Set(events.map((event) => event.account_id))];
    for (const event of events) {
      const cached = cache.peek(event.account_id);
      if (!cached || !isAtLeast(cached, event)) cache.drop(event.account_id);
    }
    await recordPastDelegates(db, events);
    const readAtMs = now();
    const objects = await readAccounts(chain, packageId, ids);
    for (const id of ids) {
      const object = objects.get(id);
      const account = object && toSnapshot(object);
      const own = events.filter((event) => event.account_id === id);
      if (!account || !own.every((event) => isAtLeast(account, event)))
        throw new OutdatedAnswerError('the node answered an account older than its events');
      await accept(account);
      cache.put(account, readAtMs);
      changed(id);
    }
  }

  const watcher = new EventWatcher({ chain, packageId, db, pollMs, now, log, handle });
  watcher.start();

  return {
    account: (accountId, { maxAgeMs } = {}) => cache.get(accountId.toLowerCase(), maxAgeMs),
    accountWith: (accountId, publicKey) => cache.withDelegate(accountId.toLowerCase(), publicKey),
    async accountsOf(publicKey) {
      try {
        const accounts = await accountsWithKey(db, publicKey);
        if (accounts.some(({ proven }) => proven)) return accounts;
        try {
          await watcher.catchUp(0);
        } catch (error) {
          if (accounts.length > 0) return accounts;
          throw error;
        }
        return await accountsWithKey(db, publicKey);
      } catch (cause) {
        throw new ApiError('auth_unavailable', { cause });
      }
    },
    async writersEver(accountId, tag) {
      try {
        await watcher.catchUp(writersAgeMs);
        return await readPastWriters(db, accountId, tag);
      } catch (cause) {
        throw new ApiError('auth_unavailable', { cause });
      }
    },
    onChange: (listener) => listeners.push(listener),
    health() {
      const lag = watcher.sinceCaughtUpMs ?? Number.POSITIVE_INFINITY;
      const { failure } = cache;
      if (failure && now() - failure.atMs < lag) return { ok: false, detail: (failure.cause as Error).name };
      return lag > feedLagMs ? { ok: false, detail: 'account events are behind' } : { ok: true };
    },
    close: () => watcher.close(),
  };
}

/**
 * Whether a state of an account is one at or after an event of it. Every event carries the key epoch that results,
 * and only adding leaves the epoch as it was; taking anything away raises it (contracts/README.md). So at the same
 * epoch an added key is still listed, and a removal has happened.
 */
function isAtLeast(account: AccountSnapshot, event: AccountEvent): boolean {
  const epoch = Number(event.key_epoch);
  if (account.keyEpoch !== epoch) return account.keyEpoch > epoch;
  switch (event.name) {
    case 'DelegateKeyAdded': {
      const publicKey = Buffer.from(event.public_key).toString('hex');
      return account.delegates.some((delegate) => delegate.publicKey === publicKey);
    }
    case 'AccountReactivated':
      return account.active;
    default:
      return true;
  }
}
