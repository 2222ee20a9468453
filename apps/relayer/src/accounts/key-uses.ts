import { createGrowingCache } from '../base/growing-cache.ts';
import type { AccountSnapshot } from './account-directory.ts';
import type { Caller } from './caller.ts';

/** When this relayer last accepted a request of each key. In memory only: which memories are used is not recorded. */
export interface KeyUses {
  record(caller: Pick<Caller, 'account' | 'publicKey'>): void;
  /** The keys of an account that were used since this relayer started */
  of(account: AccountSnapshot): { public_key: string; last_used: string }[];
}

/** Keys that are remembered; the longest unused ones are dropped first */
const maxKeys = 20_000;

/** @param now Unix time in ms */
export function createKeyUses(now: () => number = Date.now): KeyUses {
  const times = createGrowingCache<number>(maxKeys);
  const name = (accountId: string, publicKey: string): string => `${accountId} ${publicKey}`;
  return {
    record: ({ account, publicKey }) => void times.set(name(account.accountId, publicKey), now()),
    of: ({ accountId, delegates }) =>
      delegates.flatMap(({ publicKey }) => {
        const time = times.get(name(accountId, publicKey));
        return time === undefined ? [] : [{ public_key: publicKey, last_used: new Date(time).toISOString() }];
      }),
  };
}
