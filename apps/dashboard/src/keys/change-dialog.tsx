import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Sheet } from '../parts/sheet.tsx';
import { useTexts } from '../parts/texts-context.tsx';

interface ChangeDialogProps {
  title: string;
  /** What happens, in one or two sentences each */
  about: readonly string[];
  /** On the button that confirms */
  confirm: string;
  busy: string;
  /** Signed by the wallet. Rejects with `WalletError` */
  change: () => Promise<void>;
  isDangerous?: boolean;
  /** The change is not possible yet */
  isIncomplete?: boolean;
  onDone?: () => void;
  onClose: () => void;
  children?: ReactNode;
}

/** Asks before the wallet signs a change of keys or of the account. */
export function ChangeDialog(props: ChangeDialogProps) {
  const { title, about, confirm, busy, isDangerous = false, isIncomplete = false, onClose, children } = props;
  const { t } = useTexts();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: props.change,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['wallet'] });
      (props.onDone ?? onClose)();
    },
  });
  return (
    <Sheet title={title} place="center" role="alertdialog" onClose={onClose}>
      {about.map((each) => (
        <p key={each}>{each}</p>
      ))}
      {children}
      {change.isError ? <ProblemNote error={change.error} /> : null}
      <div className="form-actions">
        <Button text={t('action.cancel')} onPress={onClose} />
        <Button
          kind={isDangerous ? 'danger' : 'main'}
          text={change.isPending ? busy : confirm}
          isBusy={change.isPending}
          isDisabled={isIncomplete}
          onPress={() => change.mutate()}
        />
      </div>
    </Sheet>
  );
}
