import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';
import { useFollowJob } from './save-memory.ts';

interface EditMemoryProps {
  id: string;
  text: string;
  onCancel: () => void;
  onDone: () => void;
}

/** Stores a new text that replaces the memory. */
export function EditMemory({ id, text, onCancel, onDone }: EditMemoryProps) {
  const { t } = useTexts();
  const { client } = useSession();
  const follow = useFollowJob();
  const [changed, setChanged] = useState(text);
  const replace = useMutation({
    mutationFn: () => client.replace(id, changed),
    onSuccess: (accepted) => {
      onDone();
      follow(accepted);
    },
  });
  const isUnchanged = changed.trim() === '' || changed === text;
  return (
    <div className="form">
      <label htmlFor="edit-text">{t('detail.edit.label')}</label>
      <textarea
        id="edit-text"
        rows={6}
        // biome-ignore lint/a11y/noAutofocus: the user has just pressed Edit
        autoFocus
        value={changed}
        aria-describedby="edit-about"
        onChange={({ target }) => setChanged(target.value)}
      />
      <p id="edit-about" className="hint">
        {t('detail.edit.about')}
      </p>
      {replace.isError ? <ProblemNote error={replace.error} /> : null}
      <div className="form-actions">
        <Button text={t('action.cancel')} onPress={onCancel} />
        <Button
          kind="main"
          text={t('detail.edit.save')}
          isDisabled={isUnchanged}
          isBusy={replace.isPending}
          onPress={() => replace.mutate()}
        />
      </div>
    </div>
  );
}
