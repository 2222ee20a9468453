import { Button } from './button.tsx';
import { useTexts } from './texts-context.tsx';

interface ProgressNoteProps {
  text: string;
  value?: number | undefined;
  /** Without it, or if it is 0, the end is not known */
  total?: number | undefined;
  onStop?: (() => void) | undefined;
}

/** How far a long operation is, and a button that stops it. */
export function ProgressNote({ text, value = 0, total = 0, onStop }: ProgressNoteProps) {
  const { t } = useTexts();
  const share = total > 0 ? Math.min(1, value / total) : undefined;
  return (
    <div className="progress-note">
      <p role="status">
        <span className="spinner" /> {text}
      </p>
      {share === undefined ? null : (
        <div
          className="bar"
          role="progressbar"
          aria-label={text}
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={Math.min(value, total)}
        >
          <span className="bar-value" style={{ width: `${share * 100}%` }} />
        </div>
      )}
      {onStop ? <Button small icon="close" text={t('action.stop')} onPress={onStop} /> : null}
    </div>
  );
}
