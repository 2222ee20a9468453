import { ApiError } from '@memrelay/protocol/errors';
import { LRUCache } from 'lru-cache';
import type { AccountDirectory, AccountSnapshot, Delegate } from '../../accounts/account-directory.ts';
import type { Caller } from '../../accounts/caller.ts';
import { isExpired } from '../../accounts/require-permission.ts';
import type { AuthHeaders } from './auth-headers.ts';

export interface FindCallerOptions {
  accounts: AccountDirectory;
  /**
   * MEM_ACCOUNT_ID: the account to try when the request names none and the watched table does not have exactly one
   * match
   */
  fallbackAccountId: string | undefined;
  /** Unix time in ms */
  now: () => number;
}

/**
 * An unknown key is looked up at most `maxUnknownLookups` times in `unknownMs`; then it is refused without a chain
 * read.
 */
const unknownMs = 2_000;
const maxUnknownLookups = 10;

interface AccountDelegate {
  account: AccountSnapshot;
  delegate: Delegate;
}

/**
 * Returns a function that finds the account in which the signing key is an active delegate. It throws
 * `unknown_delegate_key`, `ambiguous_account`, `account_inactive`, `delegate_expired`, and `auth_unavailable` when
 * the chain cannot be read. Verify the signature first. The lookup records nothing.
 */
export function createCallerLookup(options: FindCallerOptions): (auth: AuthHeaders) => Promise<Caller> {
  const { accounts, fallbackAccountId, now } = options;
  const unknown = createUnknownKeys(accounts, now);

  async function inAccount(accountId: string, publicKey: string): Promise<AccountDelegate | undefined> {
    const account = await accounts.accountWith(accountId, publicKey);
    const delegate = account?.delegates.find((entry) => entry.publicKey === publicKey);
    if (account && delegate) return { account, delegate };
    // The key may have been added after this cached state was read
    if (account?.stale) throw new ApiError('auth_unavailable');
    return undefined;
  }

  async function anywhere(publicKey: string): Promise<AccountDelegate | undefined> {
    const candidates = await accounts.accountsOf(publicKey);
    const proven = candidates.filter((candidate) => candidate.proven);
    if (proven.length === 1) return inAccount(proven[0]!.accountId, publicKey);
    // Anyone can add any public key to their own account without proof, so the operator's hint comes first
    const isHinted = candidates.some(({ accountId }) => accountId === fallbackAccountId);
    if (fallbackAccountId !== undefined && (isHinted || candidates.length === 0)) {
      const found = await inAccount(fallbackAccountId, publicKey);
      if (found) return found;
    }
    if (candidates.length > 1) throw new ApiError('ambiguous_account');
    return candidates[0] && inAccount(candidates[0].accountId, publicKey);
  }

  return async (auth) => {
    const publicKey = auth.publicKey.toLowerCase();
    const accountId = auth.accountId?.toLowerCase();
    const startedMs = now();
    if (unknown.has(publicKey, accountId)) throw new ApiError('unknown_delegate_key');
    const found = await (accountId === undefined ? anywhere(publicKey) : inAccount(accountId, publicKey));
    if (!found) {
      unknown.add(publicKey, accountId, startedMs);
      throw new ApiError('unknown_delegate_key');
    }
    const { account, delegate } = found;
    if (!account.active) throw new ApiError('account_inactive');
    if (isExpired(delegate, now())) throw new ApiError('delegate_expired');
    const credentials = { encSession: auth.encSession, delegateKey: auth.delegateKey };
    return { account, delegate, publicKey, address: delegate.address, credentials };
  };
}

interface FailedLookups {
  /** Time of the first lookup, from which `unknownMs` is counted */
  sinceMs: number;
  lookups: number;
  lastMs: number;
}

/**
 * Remembers keys that were not found, until the account in question changes. Allows a few repeated lookups, because an
 * owner may add a key just after it was refused.
 */
function createUnknownKeys(accounts: AccountDirectory, now: () => number) {
  const unknown = new LRUCache<string, FailedLookups>({ max: 10_000 });
  const changedAtMs = new LRUCache<string, number>({ max: 10_000 });
  let lastChangeMs = 0;
  accounts.onChange((accountId) => {
    lastChangeMs = now();
    changedAtMs.set(accountId, lastChangeMs);
  });
  const nameOf = (publicKey: string, accountId: string | undefined) => `${publicKey}${accountId ?? ''}`;
  const recent = (name: string): FailedLookups | undefined => {
    const entry = unknown.get(name);
    return entry && now() - entry.sinceMs < unknownMs ? entry : undefined;
  };
  return {
    has(publicKey: string, accountId: string | undefined): boolean {
      const entry = recent(nameOf(publicKey, accountId));
      const changed = accountId === undefined ? lastChangeMs : (changedAtMs.get(accountId) ?? 0);
      return entry !== undefined && entry.lookups >= maxUnknownLookups && entry.lastMs > changed;
    },
    /** `atMs`: when the lookup began, so that an account change during the lookup counts */
    add(publicKey: string, accountId: string | undefined, atMs: number): void {
      const name = nameOf(publicKey, accountId);
      const { sinceMs, lookups } = recent(name) ?? { sinceMs: atMs, lookups: 0 };
      unknown.set(name, { sinceMs, lookups: lookups + 1, lastMs: atMs });
    },
  };
}
