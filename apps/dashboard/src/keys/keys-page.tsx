import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { harmless } from '../ui/harmless-text.ts';
import { localWallet } from '../wallet/local-wallet.ts';
import type { DelegateState, WalletState } from '../wallet/wallet-api.ts';
import { KeyRow } from './key-row.tsx';

interface KeysPageProps {
  state: WalletState;
  /** Public key of this browser, if it has one */
  ownKey: string | undefined;
}

export function KeysPage({ state, ownKey }: KeysPageProps) {
  const { t } = useTexts();
  const [revoking, setRevoking] = useState<DelegateState>();
  const delegates = state.account?.delegates ?? [];
  return (
    <>
      <PageHead title={t('keys.title')} about={t('keys.about')} />
      {delegates.length === 0 ? (
        <EmptyState icon="key" title={t('keys.none.title')} about={t('keys.none.about')} />
      ) : (
        <ul className="panel keys">
          {delegates.map((key) => (
            <KeyRow
              key={key.publicKey}
              delegate={key}
              isSystems={key.publicKey === state.systemKey}
              isOwn={key.publicKey === ownKey}
              onRevoke={() => setRevoking(key)}
            />
          ))}
        </ul>
      )}
      {revoking ? <RevokeDialog delegate={revoking} onClose={() => setRevoking(undefined)} /> : null}
    </>
  );
}

function RevokeDialog({ delegate, onClose }: { delegate: DelegateState; onClose: () => void }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => localWallet.removeDelegate(delegate.publicKey),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['wallet'] });
      onClose();
    },
  });
  return (
    <Sheet
      title={t('keys.revoke.title', { name: harmless(delegate.label, 60) })}
      place="center"
      role="alertdialog"
      onClose={onClose}
    >
      <p>{t('keys.revoke.about')}</p>
      {revoke.isError ? <ProblemNote error={revoke.error} /> : null}
      <div className="form-actions">
        <Button text={t('action.cancel')} onPress={onClose} />
        <Button
          kind="danger"
          icon="forget"
          text={revoke.isPending ? t('keys.revoke.busy') : t('keys.revoke')}
          isBusy={revoke.isPending}
          onPress={() => revoke.mutate()}
        />
      </div>
    </Sheet>
  );
}
