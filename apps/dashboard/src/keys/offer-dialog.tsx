import { addressPattern } from '@memrelay/protocol/address';
import { useState } from 'react';
import { useTexts } from '../parts/texts-context.tsx';
import { localWallet } from '../wallet/local-wallet.ts';
import type { AccountState } from '../wallet/wallet-api.ts';
import { ChangeDialog } from './change-dialog.tsx';

/** Offers the account to another wallet. */
export function OfferDialog({ account, onClose }: { account: AccountState; onClose: () => void }) {
  const { t } = useTexts();
  const [address, setAddress] = useState('');
  const newOwner = address.trim().toLowerCase();
  const isAddress = addressPattern.test(newOwner);
  return (
    <ChangeDialog
      title={t('account.offer.title')}
      about={[t('account.offer.about'), t('account.offer.ends')]}
      confirm={t('account.offer.button')}
      busy={t('account.busy')}
      isDangerous
      isIncomplete={!isAddress}
      change={() => localWallet.changeAccount(account.id, { kind: 'offer', newOwner })}
      onClose={onClose}
    >
      <div className="form">
        <label htmlFor="new-owner">{t('account.offer.field')}</label>
        <input
          id="new-owner"
          type="text"
          autoComplete="off"
          spellCheck={false}
          value={address}
          aria-invalid={newOwner !== '' && !isAddress}
          aria-describedby="new-owner-hint"
          onChange={({ target }) => setAddress(target.value)}
        />
        <p id="new-owner-hint" className="hint">
          {t('account.offer.hint')}
        </p>
      </div>
    </ChangeDialog>
  );
}
