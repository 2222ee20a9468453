import { useState } from 'react';
import { Button } from './button.tsx';
import { useTexts } from './texts-context.tsx';

interface CopyableCodeProps {
  code: string;
  onCopied?: () => void;
}

/** Code to copy. */
export function CopyableCode({ code, onCopied }: CopyableCodeProps) {
  const { t } = useTexts();
  const [isCopied, setIsCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard.writeText(code).then(() => {
      setIsCopied(true);
      onCopied?.();
    });
  };
  return (
    <div className="copyable-code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <Button
        small
        icon={isCopied ? 'check' : 'archive'}
        text={isCopied ? t('action.copied') : t('action.copy')}
        onPress={copy}
      />
    </div>
  );
}
