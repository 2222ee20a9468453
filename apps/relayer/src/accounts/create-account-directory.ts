import type { AccountEvent } from '@memrelay/chain/account-bcs';
import type { EmittedAccountEvent } from '@memrelay/chain/account-events';
import { readAccount, readAccounts } from '@memrelay/chain/account-reader';
import type { ChainClient } from '@memrelay/chain/chain-client';
import { ApiError } from '@memrelay/protocol/errors';
import type { Logger } from 'pino';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Db } from '../base/db/db.ts';
import { hexToBytes } from '../base/db/hex.ts';
import type { CountLookup } from '../base/metrics/metrics.ts';
import { AccountCache, OutdatedAnswerError } from './account-cache.ts';
import type { AccountDirectory, AccountSnapshot } from './account-directory.ts';
import { toSnapshot } from './account-snapshot.ts';
import { auditedEvent } from './audited-events.ts';
import { EventWatcher } from './event-watcher.ts';
import { accountsWithKey, recordAccount, wasSeen } from './rows/account-rows.ts';
import { readPastWriters, recordPastDelegates } from './rows/past-delegates.ts';

export interface AccountDirectoryOptions {
  chain: ChainClient;
  packageId: string;
  db: Db;
  audit: Pick<AuditLog, 'append'>;
  log: Logger;
  /** Maximum age of a cached account; default 4000 ms, so that a revocation is seen within 5 s */
  cacheMs?: number;
  /** Pause between two reads of the event feed; default 1000 ms */
  pollMs?: number;
  /** Monotonic clock in ms */
  now?: () => number;
  /** Counts the lookups of the account cache */
  countLookup?: CountLookup;
}

/** `/ready` reports a problem when the event feed is further behind than this. */
const feedLagMs = 30_000;
/** How recently the feed must have caught up for the list of past writers to be complete. */
const writersAgeMs = 100;

/** The account directory on a real chain and database. Follows the event feed until it is closed. */
export function createAccountDirectory(options: AccountDirectoryOptions): AccountDirectory {
  const {
    chain,
    packageId,
    db,
    audit,
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
        log.error({ err: error }, 'a listener for account changes failed');
      }
    }
  }

  /** Returns whether the account is newer than the recorded one. Throws if it is older. */
  async function accept(account: AccountSnapshot): Promise<boolean> {
    const result = await recordAccount(db, account);
    if (result === 'outdated')
      throw new OutdatedAnswerError('the node returned an older state of the account than one already seen');
    const before = cache.peek(account.accountId);
    return result === 'newer' || (before !== undefined && before.objectVersion < account.objectVersion);
  }

  async function read(accountId: string): Promise<AccountSnapshot | undefined> {
    const object = await readAccount(chain, packageId, accountId);
    if (!object) {
      if (await wasSeen(db, accountId))
        throw new OutdatedAnswerError('the node does not have an account that was already seen');
      return undefined;
    }
    const account = toSnapshot(object);
    if (await accept(account)) changed(accountId);
    return account;
  }

  const cache = new AccountCache({ read, cacheMs, now, count: options.countLookup });

  /** Events may be handled twice, also by another relayer: the second time has no effect. */
  async function record(accountId: string, events: readonly EmittedAccountEvent[]): Promise<void> {
    await db.transaction(async (tx) => {
      await recordPastDelegates(tx, events);
      await audit.append(tx, hexToBytes(accountId), ...events.map(auditedEvent));
    });
  }

  /** Reads the accounts in a page of events again: the tables store account states rather than applying events. */
  async function handle(events: readonly EmittedAccountEvent[]): Promise<void> {
    const ids = [...new Set(events.map((event) => event.account_id))];
    for (const event of events) {
      const cached = cache.peek(event.account_id);
      if (!cached || !isAtLeast(cached, event)) cache.drop(event.account_id);
    }
    for (const id of ids.toSorted()) await record(id, eventsOf(id, events));
    const readAtMs = now();
    const objects = await readAccounts(chain, packageId, ids);
    for (const id of ids) {
      const object = objects.get(id);
      const account = object && toSnapshot(object);
      const own = eventsOf(id, events);
      if (!account || !own.every((event) => isAtLeast(account, event)))
        throw new OutdatedAnswerError('the node returned an account older than its events');
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

function eventsOf(accountId: string, events: readonly EmittedAccountEvent[]): EmittedAccountEvent[] {
  return events.filter((event) => event.account_id === accountId);
}

/**
 * Whether the state of an account includes an event. Every event carries the resulting key epoch; adding a delegate
 * leaves the epoch unchanged, and any removal increases it (contracts/README.md). So at the same epoch, an added key is
 * still listed and a removal has been applied.
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
