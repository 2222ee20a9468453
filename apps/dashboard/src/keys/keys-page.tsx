import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import type { Session } from '../session/open-session.ts';
import { harmless } from '../ui/harmless-text.ts';
import { localWallet } from '../wallet/local-wallet.ts';
import type { DelegateState, WalletState } from '../wallet/wallet-api.ts';
import { AccountControls } from './account-controls.tsx';
import { AddKey } from './add-key.tsx';
import { ChangeDialog } from './change-dialog.tsx';
import { KeyRow } from './key-row.tsx';
import { useKeyFacts } from './use-key-facts.ts';

interface KeysPageProps {
  state: WalletState;
  /** Of this browser, if it has a key */
  session: Session | undefined;
}

export function KeysPage({ state, session }: KeysPageProps) {
  const { t } = useTexts();
  const { account, systemKey } = state;
  // The relayer refuses every request for a frozen account
  const facts = useKeyFacts(account?.active ? session : undefined);
  const [revoking, setRevoking] = useState<DelegateState>();
  const [isAdding, setIsAdding] = useState(false);
  const delegates = account?.delegates ?? [];
  return (
    <>
      <PageHead title={t('keys.title')} about={t('keys.about')}>
        {account?.active ? (
          <Button kind="main" icon="add" text={t('keys.add')} onPress={() => setIsAdding(true)} />
        ) : null}
      </PageHead>
      {account && !account.active ? <p className="frozen-note">{t('account.freeze.frozen')}</p> : null}
      {facts.error ? <ProblemNote error={facts.error} /> : null}
      {delegates.length === 0 ? (
        <EmptyState icon="key" title={t('keys.none.title')} about={t('keys.none.about')} />
      ) : (
        <ul className="panel keys" aria-label={t('keys.title')}>
          {delegates.map((key) => (
            <KeyRow
              key={key.publicKey}
              delegate={key}
              isSystems={key.publicKey === systemKey}
              isOwn={key.publicKey === session?.publicKey}
              grant={facts.grants.get(key.publicKey)}
              lastUsed={facts.lastUsed.get(key.publicKey)}
              knowsUses={facts.knowsUses}
              onRevoke={() => setRevoking(key)}
            />
          ))}
        </ul>
      )}
      {account ? <AccountControls account={account} /> : null}
      {account && isAdding ? (
        <AddKey
          state={state}
          account={account}
          namespaces={facts.namespaces}
          onClose={() => setIsAdding(false)}
        />
      ) : null}
      {revoking ? (
        <ChangeDialog
          title={t('keys.revoke.title', { name: harmless(revoking.label, 60) })}
          about={[
            t('keys.revoke.about'),
            ...(revoking.publicKey === systemKey ? [t('keys.system.about')] : []),
            ...(revoking.publicKey === session?.publicKey ? [t('keys.revoke.own')] : []),
            ...(facts.grants.has(revoking.publicKey) ? [t('keys.revoke.grant')] : []),
          ]}
          confirm={t('keys.revoke')}
          busy={t('keys.revoke.busy')}
          isDangerous
          change={() => localWallet.removeDelegate(revoking.publicKey)}
          onClose={() => setRevoking(undefined)}
        />
      ) : null}
    </>
  );
}
