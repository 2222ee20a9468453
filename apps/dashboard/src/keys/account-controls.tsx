import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { ShortId } from '../parts/short-id.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { localWallet } from '../wallet/local-wallet.ts';
import type { AccountChange, AccountState } from '../wallet/wallet-api.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { OfferDialog } from './offer-dialog.tsx';
import { RecoveryDialog } from './recovery-dialog.tsx';

type Asked = 'rotate' | 'freeze' | 'unfreeze' | 'cancel-offer' | 'recovery-key' | 'offer';

/** What only the owner's wallet can do with the account. */
export function AccountControls({ account }: { account: AccountState }) {
  const { t } = useTexts();
  const [asked, setAsked] = useState<Asked>();
  const { active, keyEpoch, recoveryKey, offeredTo } = account;
  const close = (): void => setAsked(undefined);
  const change = (wanted: AccountChange) => () => localWallet.changeAccount(account.id, wanted);
  return (
    <section className="panel account-controls">
      <h2>{t('account.title')}</h2>
      <ul>
        <Control
          icon="retry"
          title={t('account.rotate')}
          about={t('account.rotate.about', { epoch: keyEpoch })}
          action={t('account.rotate.button')}
          isDisabled={!active}
          onPress={() => setAsked('rotate')}
        />
        <Control
          icon="key"
          title={t('account.recovery')}
          about={t(recoveryKey === undefined ? 'account.recovery.none' : 'account.recovery.set')}
          id={recoveryKey}
          action={t(recoveryKey === undefined ? 'account.recovery.button' : 'account.recovery.replace')}
          isDisabled={!active}
          onPress={() => setAsked('recovery-key')}
        />
        <Control
          icon="tool"
          title={t('account.owner')}
          about={t(offeredTo === undefined ? 'account.owner.about' : 'account.owner.offered')}
          id={offeredTo}
          action={t(offeredTo === undefined ? 'account.owner.button' : 'account.owner.cancel')}
          onPress={() => setAsked(offeredTo === undefined ? 'offer' : 'cancel-offer')}
        />
        <Control
          icon="lock"
          title={t('account.freeze')}
          about={t(active ? 'account.freeze.about' : 'account.freeze.frozen')}
          action={t(active ? 'account.freeze.button' : 'account.unfreeze.button')}
          isDangerous={active}
          onPress={() => setAsked(active ? 'freeze' : 'unfreeze')}
        />
      </ul>
      {asked === 'recovery-key' ? <RecoveryDialog account={account} onClose={close} /> : null}
      {asked === 'offer' ? <OfferDialog account={account} onClose={close} /> : null}
      {asked === 'rotate' || asked === 'freeze' || asked === 'unfreeze' || asked === 'cancel-offer' ? (
        <ChangeDialog
          title={t(`account.ask-title.${asked}`)}
          about={[t(`account.ask.${asked}`)]}
          confirm={t(`account.ask-button.${asked}`)}
          busy={t('account.busy')}
          isDangerous={asked === 'freeze'}
          change={change({ kind: asked })}
          onClose={close}
        />
      ) : null}
    </section>
  );
}

interface ControlProps {
  icon: IconName;
  title: string;
  about: string;
  id?: string | undefined;
  action: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
  onPress: () => void;
}

function Control({ icon, title, about, id, action, isDangerous, isDisabled = false, onPress }: ControlProps) {
  return (
    <li className="key-row">
      <span className="key-icon">
        <Icon name={icon} />
      </span>
      <div className="key-text">
        <h3>{title}</h3>
        <p className="hint">
          {about} {id === undefined ? null : <ShortId id={id} />}
        </p>
      </div>
      <Button
        small
        kind={isDangerous ? 'danger' : 'quiet'}
        text={action}
        isDisabled={isDisabled}
        onPress={onPress}
      />
    </li>
  );
}
