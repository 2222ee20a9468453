import { ApiError } from '@memrelay/protocol/errors';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { AccountDirectory, AccountSnapshot } from './account-directory.ts';
import { isExpired } from './require-permission.ts';

/**
 * A delegate whose time is over may have fetched the keys of the present epoch while it lasted. So before anything is
 * sealed it is taken out of the account, which begins an epoch whose keys it never could fetch (security.md, "Account
 * module").
 */
export interface ExpiredDelegates {
  /**
   * The account as given, or as it stands once its expired delegates are gone. Throws `ApiError`: `prune_required` when
   * the server cannot pay for that, `auth_unavailable` when the chain or the sponsor does not answer.
   */
  pruned(account: AccountSnapshot): Promise<AccountSnapshot>;
}

/** The chain's clock may be behind ours: its word that nothing has expired holds for this long. */
const notYetMs = 1_000;

export function createExpiredDelegates(options: {
  accounts: AccountDirectory;
  /** Takes them out on chain; false when by the chain's clock there are none. Throws `ApiError`. */
  prune(accountId: string): Promise<boolean>;
  log: Logger;
}): ExpiredDelegates {
  const { accounts, log } = options;
  const flights = new Map<string, Promise<AccountSnapshot>>();
  const notYet = new LRUCache<string, true>({ max: 10_000, ttl: notYetMs });

  async function prune({ accountId }: AccountSnapshot): Promise<AccountSnapshot> {
    const found = await options.prune(accountId);
    const account = await accounts.account(accountId, { maxAgeMs: 0 });
    if (!account || account.stale) throw new ApiError('auth_unavailable');
    if (!hasExpired(account)) {
      log.info({ account_id: accountId, key_epoch: account.keyEpoch }, 'expired delegates are pruned');
      return account;
    }
    // Pruned, and this node has not seen it yet; or the chain's clock has not reached the end
    if (found) throw new ApiError('auth_unavailable');
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
