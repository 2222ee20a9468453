import { type AccountAbortName, accountAbortName } from '@memrelay/chain/account-limits';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { MemRelayError } from '@memrelay/sdk/errors';
import { WalletRefusal } from './wallet-refusal.ts';

/** What the contract's refusals mean to the person at the page. */
const refusals: Partial<Record<AccountAbortName, string>> = {
  account_exists: 'This wallet has made its account meanwhile; load the page again.',
  bad_scope: 'The contract does not take these permissions; choose others.',
  deactivated: 'The account is switched off. `npx memrelay account reactivate` switches it on.',
  delegate_exists: 'The account has this key already.',
  delegate_not_found: 'The account has no such key; it was revoked before.',
  too_many_delegates: 'The account has 20 keys, which is all it can have. Revoke one first.',
};

/** Any failure of the wallet as an answer. Chain and relayer trouble is 503, so that it can be tried again. */
export function walletRefusal(error: unknown): WalletRefusal {
  if (error instanceof WalletRefusal) return error;
  if (error instanceof ChainRejectedError) {
    const name = error.abort?.module === 'account' ? accountAbortName(error.abort.code) : undefined;
    const message = (name && refusals[name]) ?? 'The chain refused the transaction.';
    return new WalletRefusal(422, name ?? 'chain_rejected', message);
  }
  if (error instanceof MemRelayError && error.code === 'package_mismatch')
    return new WalletRefusal(409, error.code, 'The relayer works with another contract than this system.');
  return new WalletRefusal(
    503,
    'unavailable',
    'The relayer or the chain does not answer. Is `memrelay up` still running? Try again in a moment.',
  );
}
