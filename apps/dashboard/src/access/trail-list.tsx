import type { AuditEntry } from '@memrelay/protocol/audit-log';
import type { Audit } from '@memrelay/sdk/audit';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { en, type TextKey } from '../texts/en.ts';
import { harmless } from '../ui/harmless-text.ts';
import { useNames } from './names.ts';

interface TrailListProps {
  audit: Audit;
  /** Newest first */
  entries: readonly AuditEntry[];
  /** When the memory was stored, RFC 3339; shown as the first event */
  storedAt?: string | undefined;
}

const perPage = 8;

/** Entries of the audit log, and whether the log is in order. */
export function TrailList({ audit, entries, storedAt }: TrailListProps) {
  const { t, counted, dateTime } = useTexts();
  const nameOf = useNames(audit);
  const [shown, setShown] = useState(perPage);
  const isAll = shown >= entries.length;
  const kinds = [...new Set(audit.problems.map(({ kind }) => kind))].join(', ');
  return (
    <section className="panel">
      <h2>{t('access.trail.title')}</h2>
      <p className="hint">{t('access.trail.about')}</p>
      {entries.length === 0 && storedAt === undefined ? (
        <p className="hint">{t('access.trail.none')}</p>
      ) : (
        <ol className="history trail">
          {entries.slice(0, shown).map((entry) => (
            <li key={entry.seq}>
              <p>{titleOf(entry)}</p>
              <p className="hint">
                <time dateTime={entry.at}>{dateTime(entry.at)}</time>
                {entry.actor === undefined
                  ? null
                  : `, ${t('access.trail.by', { actor: nameOf(entry.actor) })}`}
              </p>
            </li>
          ))}
          {isAll && storedAt !== undefined ? (
            <li>
              <p>{t('access.trail.stored')}</p>
              <p className="hint">
                <time dateTime={storedAt}>{dateTime(storedAt)}</time>
              </p>
            </li>
          ) : null}
        </ol>
      )}
      {isAll ? null : <Button small text={t('access.trail.more')} onPress={() => setShown(shown + 50)} />}
      {kinds === '' ? (
        <p className="valid">
          <Icon name="check" size={16} /> {counted('access.trail.valid', audit.head.seq)}
        </p>
      ) : (
        <p className="problem" role="alert">
          {t('access.trail.invalid', { problems: kinds })}
        </p>
      )}
    </section>
  );

  /** An action of a newer relayer is shown by its own name. */
  function titleOf({ action, detail = {} }: AuditEntry): string {
    const key = `access.trail.${action.replace('.', '-')}`;
    if (!(key in en)) return harmless(action, 60);
    const subject = detail.public_key ?? detail.address ?? detail.grant;
    return t(key as TextKey, {
      name: subject === undefined ? '' : nameOf(String(subject)),
      count: String(detail.count ?? ''),
    });
  }
}
