import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import type { ScopeChoice } from '../scope/scope-choice.ts';
import { localWallet } from '../wallet/local-wallet.ts';
import type { AccountState, WalletState } from '../wallet/wallet-api.ts';
import { addKey, credentialFileName, maxLabel } from './new-key.ts';
import { firstEntry, readEntry, ScopeFields, type ScopeProblem } from './scope-fields.tsx';
import { DoneButton, SecretFile, UnsavedNote, useSavedGuard } from './secret-file.tsx';

interface AddKeyProps {
  state: WalletState;
  account: AccountState;
  namespaces: readonly string[];
  onClose: () => void;
}

/** Makes a key for a program, and shows its credential file once. */
export function AddKey({ state, account, namespaces, onClose }: AddKeyProps) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const [label, setLabel] = useState('');
  const [entry, setEntry] = useState(firstEntry);
  const [problem, setProblem] = useState<'label' | ScopeProblem>();
  const add = useMutation({
    mutationFn: (choice: ScopeChoice) => addKey(localWallet, state, account, label, choice),
    // Also after a failure: the key may be registered
    onSettled: () => queries.invalidateQueries({ queryKey: ['wallet'] }),
    gcTime: 0,
  });
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (add.isPending) return;
    const choice = readEntry(entry, Date.now());
    const found = label.trim() === '' ? 'label' : 'problem' in choice ? choice.problem : undefined;
    setProblem(found);
    if (found === undefined && 'perms' in choice) add.mutate(choice);
  };
  if (add.data) return <NewCredential credential={add.data} onClose={onClose} />;
  return (
    <Sheet title={t('keys.add.title')} place="center" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <p className="hint">{t('keys.add.about')}</p>
        <label htmlFor="key-label">{t('keys.label')}</label>
        <input
          id="key-label"
          type="text"
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: the dialog was opened to fill in this form
          autoFocus
          maxLength={maxLabel}
          placeholder={t('keys.label.example')}
          value={label}
          aria-invalid={problem === 'label'}
          aria-describedby={problem === undefined ? undefined : 'key-problem'}
          onChange={({ target }) => setLabel(target.value)}
        />
        <ScopeFields entry={entry} namespaces={namespaces} onChange={setEntry} />
        {problem === undefined ? null : (
          <p id="key-problem" className="problem" role="alert">
            {t(`keys.problem.${problem}`)}
          </p>
        )}
        {add.isError ? <ProblemNote error={add.error} /> : null}
        <div className="form-actions">
          <Button text={t('action.cancel')} onPress={onClose} />
          <Button
            kind="main"
            text={add.isPending ? t('keys.add.busy') : t('keys.add.button')}
            isBusy={add.isPending}
            onPress={() => submit()}
          />
        </div>
      </form>
    </Sheet>
  );
}

function NewCredential({ credential, onClose }: { credential: CredentialFile; onClose: () => void }) {
  const { t } = useTexts();
  const { isSaved, isWarned, onSaved, close } = useSavedGuard(onClose);
  const name = credentialFileName(credential.label);
  return (
    <Sheet
      title={t('keys.credential.title', { name: credential.label })}
      place="center"
      role="alertdialog"
      onClose={close}
    >
      <SecretFile
        name={name}
        content={`${JSON.stringify(credential, null, 2)}\n`}
        warning={t('keys.credential.warning')}
        onSaved={onSaved}
      />
      <p className="hint">{t('keys.credential.use')}</p>
      <pre className="one-command">
        <code>{`npx memrelay recall "…" --credentials ${name}`}</code>
      </pre>
      {isWarned ? <UnsavedNote /> : null}
      <div className="form-actions">
        <DoneButton isSaved={isSaved} onPress={close} />
      </div>
    </Sheet>
  );
}
