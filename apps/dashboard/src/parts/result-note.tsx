import type { ReactNode } from 'react';
import { harmless } from '../ui/harmless-text.ts';
import { Icon } from './icon.tsx';
import { useTexts } from './texts-context.tsx';

export interface Failure {
  /** A memory or an entry of a file */
  name: string;
  reason: string;
}

interface ResultNoteProps {
  title: string;
  /** What the numbers mean, one sentence each */
  about?: readonly string[];
  failures?: readonly Failure[];
  /** What can be done next */
  children?: ReactNode;
}

const shownFailures = 50;

/** How an operation ended, with everything that failed and why. */
export function ResultNote({ title, about = [], failures = [], children }: ResultNoteProps) {
  const { t, counted } = useTexts();
  return (
    <div className="result-note" role="status">
      <p className="result-title">
        <Icon name={failures.length > 0 ? 'problem' : 'check'} /> {title}
      </p>
      {about.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {failures.length === 0 ? null : (
        <>
          <p>{counted('work.failed', failures.length)}</p>
          <ul className="failures">
            {failures.slice(0, shownFailures).map(({ name, reason }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
              <li key={i}>
                <strong>{harmless(name, 80)}</strong> {harmless(reason, 200)}
              </li>
            ))}
          </ul>
          {failures.length > shownFailures ? (
            <p className="hint">{t('work.failed.more', { count: failures.length - shownFailures })}</p>
          ) : null}
        </>
      )}
      {children}
    </div>
  );
}
