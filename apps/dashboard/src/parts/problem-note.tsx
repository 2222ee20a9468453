import { MemRelayError } from '@memrelay/sdk/errors';
import { en, type TextKey } from '../texts/en.ts';
import type { Texts } from '../texts/translate.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { useTexts } from './texts-context.tsx';

/** What an error means to the user: our own text for its code, else the message of the relayer or the wallet. */
export function problemText(error: unknown, t: Texts['t']): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const key = `problem.${code}`;
  if (key in en) return t(key as TextKey);
  const message = error instanceof Error ? error.message : String(error);
  // The SDK appends the code and the request id, which is shown separately
  return message.replace(/ \[[^[\]]*\]$/, '');
}

/** An error with its request id, and a way to try again. */
export function ProblemNote({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const { t } = useTexts();
  const requestId = error instanceof MemRelayError ? error.requestId : undefined;
  return (
    <div className="problem-note" role="alert">
      <Icon name="problem" />
      <div>
        <p className="problem-text">{problemText(error, t)}</p>
        {requestId === undefined ? null : (
          <p className="hint">
            {t('problem.request')} <code className="id">{requestId}</code>
          </p>
        )}
      </div>
      {onRetry ? <Button small icon="retry" text={t('action.retry')} onPress={onRetry} /> : null}
    </div>
  );
}
