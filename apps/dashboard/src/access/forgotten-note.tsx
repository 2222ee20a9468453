import { useState } from 'react';
import { useDeleteBlobs } from '../memories/delete-blobs.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts-context.tsx';

interface ForgottenNoteProps {
  /** RFC 3339 */
  at: string;
  /** Objects that still exist */
  objectIds: readonly string[];
  /** The blob holds other memories, which are stored again first */
  isShared: boolean;
  /** Whether the objects are known yet */
  isKnown: boolean;
}

/** What is left of a forgotten memory, and the signature that deletes it. */
export function ForgottenNote({ at, objectIds, isShared, isKnown }: ForgottenNoteProps) {
  const { t, ago } = useTexts();
  const deleteBlobs = useDeleteBlobs();
  const [isDeleting, setIsDeleting] = useState(false);
  const isLeft = objectIds.length > 0;
  const rest = !isKnown ? undefined : isLeft ? 'left' : isShared ? 'shared' : 'clean';
  return (
    <div className={`gone-note ${rest === 'clean' ? 'clean' : ''}`} role="status">
      <Icon name={rest === 'clean' ? 'check' : 'forget'} size={22} />
      <div>
        <h2>{t('access.gone.title')}</h2>
        <p>{t('access.gone.about', { time: ago(at) })}</p>
        {rest === undefined ? null : <p>{t(`access.gone.${rest}`)}</p>}
      </div>
      {isLeft ? (
        <Button
          kind="danger"
          icon="forget"
          text={isDeleting ? t('access.delete.busy') : t('access.delete')}
          isBusy={isDeleting}
          onPress={() => {
            setIsDeleting(true);
            void deleteBlobs(objectIds).finally(() => setIsDeleting(false));
          }}
        />
      ) : null}
    </div>
  );
}
