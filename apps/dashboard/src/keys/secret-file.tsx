import { useEffect, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { CopyableCode } from '../parts/copyable-code.tsx';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts-context.tsx';

interface SecretFileProps {
  name: string;
  content: string;
  /** What happens when it gets lost or into other hands */
  warning: string;
  onSaved: () => void;
}

/** A secret that exists only on this page, to download or copy. */
export function SecretFile({ name, content, warning, onSaved }: SecretFileProps) {
  const { t } = useTexts();
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
    setAddress(url);
    return () => URL.revokeObjectURL(url);
  }, [content]);
  return (
    <div className="secret-file">
      <p className="secret-warning">
        <Icon name="problem" />
        <span>{warning}</span>
      </p>
      <a className="button main" href={address} download={name} onClick={onSaved}>
        {t('keys.secret.download', { name })}
      </a>
      <details>
        <summary>{t('keys.secret.show')}</summary>
        <CopyableCode code={content} onCopied={onSaved} />
      </details>
    </div>
  );
}

/** Closing is refused once while the secret is not saved. */
export function useSavedGuard(onClose: () => void): {
  isSaved: boolean;
  isWarned: boolean;
  onSaved: () => void;
  close: () => void;
} {
  const [isSaved, setIsSaved] = useState(false);
  const [isWarned, setIsWarned] = useState(false);
  return {
    isSaved,
    isWarned: isWarned && !isSaved,
    onSaved: () => setIsSaved(true),
    close: () => (isSaved || isWarned ? onClose() : setIsWarned(true)),
  };
}

/** Shown after the first attempt to close. */
export function UnsavedNote() {
  const { t } = useTexts();
  return (
    <p className="problem" role="alert">
      {t('keys.secret.unsaved')}
    </p>
  );
}

export function DoneButton({ isSaved, onPress }: { isSaved: boolean; onPress: () => void }) {
  const { t } = useTexts();
  return <Button kind={isSaved ? 'main' : 'quiet'} text={t('keys.secret.done')} onPress={onPress} />;
}
