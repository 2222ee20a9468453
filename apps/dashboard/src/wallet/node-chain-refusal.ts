import { type AccountAbortName, accountAbortName } from '@memrelay/chain/account-limits';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { MemRelayError } from '@memrelay/sdk/errors';
import { WalletRefusal } from './wallet-refusal.ts';

/** Explanations of the contract's errors for the user of the page. */
const refusals: Partial<Record<AccountAbortName, string>> = {
  account_exists: 'This wallet has created its account in the meantime. Reload the page.',
  bad_scope: 'The contract does not accept these permissions. Choose others.',
  deactivated: 'The account is deactivated. Run `npx memrelay account reactivate` to reactivate it.',
  delegate_exists: 'The account already has this key.',
  delegate_not_found: 'The account does not have this key. It may already have been revoked.',
  too_many_delegates: 'The account has 20 keys, the maximum. Revoke one first.',
};

/** Maps any failure of the wallet to a response. Chain and relayer outages are 503, so that the caller can retry. */
export function walletRefusal(error: unknown): WalletRefusal {
  if (error instanceof WalletRefusal) return error;
  if (error instanceof ChainRejectedError) {
    const name = error.abort?.module === 'account' ? accountAbortName(error.abort.code) : undefined;
    const message = (name && refusals[name]) ?? 'The chain rejected the transaction.';
    return new WalletRefusal(422, name ?? 'chain_rejected', message);
  }
  if (error instanceof MemRelayError && error.code === 'package_mismatch')
    return new WalletRefusal(409, error.code, 'The relayer uses a different contract than this system.');
  return new WalletRefusal(
    503,
    'unavailable',
    'The relayer or the chain does not respond. Is `memrelay up` still running? Try again in a moment.',
  );
}
