import type { AccountEvent } from '@memrelay/chain/account-bcs';
import type { AccountSnapshot } from './account-directory.ts';

/**
 * Whether a state of an account is one at or after an event of it. Every event carries the key epoch that results,
 * and only adding leaves the epoch as it was; taking anything away raises it (contracts/README.md). So at the same
 * epoch an added key is still listed, and a removal has happened.
 */
export function isAtLeast(account: AccountSnapshot, event: AccountEvent): boolean {
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
