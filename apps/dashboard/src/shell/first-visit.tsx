import { useMutation } from '@tanstack/react-query';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { createSession, keyLabel } from '../session/open-session.ts';
import { localWallet } from '../wallet/local-wallet.ts';
import type { WalletState } from '../wallet/wallet-api.ts';

/** Explains the key of this browser, and creates it. */
export function FirstVisit({ state, onOpened }: { state: WalletState; onOpened: () => void }) {
  const { t } = useTexts();
  const open = useMutation({ mutationFn: () => createSession(localWallet, state), onSuccess: onOpened });
  const isBusy = open.isPending || open.isSuccess;
  return (
    <section className="welcome">
      <span className="welcome-icon">
        <Icon name="lock" size={26} />
      </span>
      <h1>{t('open.title')}</h1>
      <p>{t('open.about', { label: keyLabel })}</p>
      <ul className="points">
        {(['open.stored', 'open.rights', 'open.revoke'] as const).map((key) => (
          <li key={key}>
            <Icon name="check" size={16} /> {t(key)}
          </li>
        ))}
      </ul>
      {open.isError ? <ProblemNote error={open.error} /> : null}
      <Button
        kind="main"
        text={isBusy ? t('open.busy') : t('open.button')}
        isBusy={isBusy}
        onPress={() => open.mutate()}
      />
    </section>
  );
}
