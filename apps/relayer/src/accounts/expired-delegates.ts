import { ApiError } from '@memrelay/protocol/errors';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { AccountDirectory, AccountSnapshot } from './account-directory.ts';
import { isExpired } from './require-permission.ts';

/**
 * An expired delegate may have fetched the keys of the current epoch before it expired. So it is removed from the
 * account before anything is sealed. The removal starts a new epoch, whose keys it could never fetch (security.md,
 * "Account module").
 */
export interface ExpiredDelegates {
  /**
   * Removes expired delegates on chain and returns the account after that; unchanged if it has none. Throws `ApiError`:
   * `prune_required` when the server cannot pay for the removal, `auth_unavailable` when the chain or the sponsor does
   * not respond.
   */
  pruned(account: AccountSnapshot): Promise<AccountSnapshot>;
}

/** The chain's clock may be behind ours: if it says that no delegate has expired, it is asked again after this time. */
const notYetMs = 1_000;

export function createExpiredDelegates(options: {
  accounts: AccountDirectory;
  /** Removes them on chain; false when none has expired by the chain's clock. Throws `ApiError`. */
  prune(accountId: string): Promise<boolean>;
  log: Logger;
}): ExpiredDelegates {
  const { accounts, log } = options;
  const flights = new Map<string, Promise<AccountSnapshot>>();
  const notYet = new LRUCache<string, true>({ max: 10_000, ttl: notYetMs });

  async function prune({ accountId }: AccountSnapshot): Promise<AccountSnapshot> {
    const pruned = await options.prune(accountId);
    const account = await accounts.account(accountId, { maxAgeMs: 0 });
    if (!account || account.stale) throw new ApiError('auth_unavailable');
    if (!hasExpired(account)) {
      log.info({ account_id: accountId, key_epoch: account.keyEpoch }, 'pruned expired delegates');
      return account;
    }
    // Pruned, but this node does not have the new state yet; or not expired yet by the chain's clock
    if (pruned) throw new ApiError('auth_unavailable');
    notYet.set(accountId, true);
    return account;
  }

  return {
    async pruned(account) {
      const { accountId } = account;
      if (!hasExpired(account) || notYet.has(accountId)) return account;
      const running = flights.get(accountId);
      if (running) return running;
      const flight = prune(account).finally(() => flights.delete(accountId));
      flights.set(accountId, flight);
      return flight;
    },
  };
}

function hasExpired({ delegates }: AccountSnapshot): boolean {
  const nowMs = Date.now();
  return delegates.some((delegate) => isExpired(delegate, nowMs));
}
