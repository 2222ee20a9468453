import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import { toHex } from '@memrelay/protocol/bytes';
import { useState } from 'react';
import { useTexts } from '../parts/texts-context.tsx';
import { localWallet } from '../wallet/local-wallet.ts';
import type { AccountState } from '../wallet/wallet-api.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { SecretFile } from './secret-file.tsx';

/** As `memrelay key recovery` writes it. */
const fileName = 'memrelay-recovery-key.txt';

/** Makes a recovery key in this page. It is registered only after it was saved: a lost one would protect nothing. */
export function RecoveryDialog({ account, onClose }: { account: AccountState; onClose: () => void }) {
  const { t } = useTexts();
  const [key] = useState(() => {
    const privateKey = portablePrimitives.randomBytes(32);
    const publicKey = toHex(portablePrimitives.x25519PublicKey(privateKey));
    return { publicKey, content: `${toHex(privateKey)}\n` };
  });
  const [isSaved, setIsSaved] = useState(false);
  const about = [t('account.recovery.about')];
  if (account.recoveryKey !== undefined) about.push(t('account.recovery.replaces'));
  return (
    <ChangeDialog
      title={t('account.recovery.title')}
      about={about}
      confirm={t('account.recovery.register')}
      busy={t('account.busy')}
      isIncomplete={!isSaved}
      change={() => localWallet.changeAccount(account.id, { kind: 'recovery-key', publicKey: key.publicKey })}
      onClose={onClose}
    >
      <SecretFile
        name={fileName}
        content={key.content}
        warning={t('account.recovery.warning')}
        onSaved={() => setIsSaved(true)}
      />
      {isSaved ? null : <p className="hint">{t('account.recovery.first')}</p>}
    </ChangeDialog>
  );
}
