import { ApiError } from '@memrelay/protocol/errors';
import { LRUCache } from 'lru-cache';
import type { AccountDirectory, AccountSnapshot, Delegate } from '../accounts/account-directory.ts';
import type { AuthHeaders } from './auth-headers.ts';
import type { Caller } from './caller.ts';
import { isExpired } from './require-permission.ts';

export interface FindCallerOptions {
  accounts: AccountDirectory;
  /** MEM_ACCOUNT_ID: where a key is looked for when the request names no account and the watched table leaves it open */
  fallbackAccountId: string | undefined;
  /** Unix time in ms */
  now: () => number;
}

/** How long an unknown key is refused without another look. */
const unknownMs = 2_000;
/** Before a key is called unknown its account is read again, unless that was done this recently. */
const freshMs = 100;

interface Found {
  account: AccountSnapshot;
  delegate: Delegate;
}

/**
 * Returns the lookup of who signed: the account in which the key is an active delegate. It throws
 * `unknown_delegate_key`, `ambiguous_account`, `account_inactive`, `delegate_expired`, and `auth_unavailable` when
 * that cannot be found out. The signature must have been verified before; nothing is recorded.
 */
export function createCallerLookup(options: FindCallerOptions): (auth: AuthHeaders) => Promise<Caller> {
  const { accounts, fallbackAccountId, now } = options;
  const unknown = createUnknownKeys(accounts, now);

  async function inAccount(
    accountId: string,
    publicKey: string,
    maxAgeMs?: number,
  ): Promise<Found | undefined> {
    const account = await accounts.account(accountId, maxAgeMs === undefined ? {} : { maxAgeMs });
    const delegate = account?.delegates.find((entry) => entry.publicKey === publicKey);
    if (account && delegate) return { account, delegate };
    // What an old answer does not list may have been added since
    if (account?.stale) throw new ApiError('auth_unavailable');
    return maxAgeMs === undefined ? inAccount(accountId, publicKey, freshMs) : undefined;
  }

  async function anywhere(publicKey: string): Promise<Found | undefined> {
    const candidates = await accounts.accountsOf(publicKey);
    const proven = candidates.filter((candidate) => candidate.proven);
    if (proven.length === 1) return inAccount(proven[0]!.accountId, publicKey);
    if (fallbackAccountId !== undefined) {
      // Anyone can list a key unproven in an account of theirs, so the operator's hint goes first
      const found = await inAccount(
        fallbackAccountId,
        publicKey,
        candidates.length > 0 ? Infinity : undefined,
      );
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

/** Keys that were looked for and not found a moment ago, until the account they were looked for in changes. */
function createUnknownKeys(accounts: AccountDirectory, now: () => number) {
  const lookedAtMs = new LRUCache<string, number>({ max: 10_000 });
  const changedAtMs = new LRUCache<string, number>({ max: 10_000 });
  let lastChangeMs = 0;
  accounts.onChange((accountId) => {
    lastChangeMs = now();
    changedAtMs.set(accountId, lastChangeMs);
  });
  const nameOf = (publicKey: string, accountId: string | undefined) => `${publicKey}${accountId ?? ''}`;
  return {
    has(publicKey: string, accountId: string | undefined): boolean {
      const atMs = lookedAtMs.get(nameOf(publicKey, accountId)) ?? 0;
      const changed = accountId === undefined ? lastChangeMs : (changedAtMs.get(accountId) ?? 0);
      return now() - atMs < unknownMs && atMs > changed;
    },
    /** `atMs`: when the look began, so that a change during it counts */
    add(publicKey: string, accountId: string | undefined, atMs: number): void {
      lookedAtMs.set(nameOf(publicKey, accountId), atMs);
    },
  };
}
