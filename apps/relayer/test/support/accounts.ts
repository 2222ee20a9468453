import type { AccountDirectory } from '../../src/accounts/account-directory.ts';

type Accounts = Pick<AccountDirectory, 'account'>;

/** A chain that knows no account: jobs keep the owner they were accepted with. */
export const unknownAccounts: Accounts = { account: async () => undefined };

/** A chain on which every account belongs to the owner that `owner` returns at that moment. */
export function accountsOf(owner: () => string): Accounts {
  return { account: async () => ({ owner: owner() }) as never };
}
