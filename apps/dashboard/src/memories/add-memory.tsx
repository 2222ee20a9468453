import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';
import { MemoryFields } from './memory-fields.tsx';
import { type NewMemory, rememberOptions, useFollowJob } from './save-memory.ts';

interface AddMemoryProps {
  namespace: string;
  /** Offered while typing */
  namespaces: readonly string[];
  onClose: () => void;
}

export function AddMemory({ namespace, namespaces, onClose }: AddMemoryProps) {
  const { t } = useTexts();
  const { client } = useSession();
  const follow = useFollowJob();
  const [memory, setMemory] = useState<NewMemory>({ text: '', namespace, tags: '', until: '' });
  const [isMissing, setIsMissing] = useState(false);
  const save = useMutation({
    mutationFn: () => client.remember(memory.text, rememberOptions(memory)),
    onSuccess: (accepted) => {
      onClose();
      follow(accepted);
    },
  });
  const change = (part: Partial<NewMemory>): void => setMemory((all) => ({ ...all, ...part }));
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    setIsMissing(memory.text.trim() === '');
    if (memory.text.trim() !== '' && !save.isPending) save.mutate();
  };
  return (
    <Sheet title={t('add.title')} place="center" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <label htmlFor="add-text">{t('add.text')}</label>
        <textarea
          id="add-text"
          rows={5}
          // biome-ignore lint/a11y/noAutofocus: the dialog was opened to write this text
          autoFocus
          value={memory.text}
          aria-invalid={isMissing}
          aria-describedby={isMissing ? 'add-problem' : undefined}
          onChange={({ target }) => change({ text: target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
          }}
        />
        {isMissing ? (
          <p id="add-problem" className="problem" role="alert">
            {t('add.empty')}
          </p>
        ) : null}
        <MemoryFields memory={memory} namespaces={namespaces} onChange={change} />
        {save.isError ? <ProblemNote error={save.error} /> : null}
        <div className="form-actions">
          <Button text={t('action.cancel')} onPress={onClose} />
          <Button kind="main" text={t('add.save')} isBusy={save.isPending} onPress={() => submit()} />
        </div>
      </form>
    </Sheet>
  );
}
