import { useState } from 'react';
import { useTexts } from '../parts/texts-context.tsx';
import { type NamesProblem, namespaceNames } from '../scope/namespace-names.ts';
import { permissions, type ScopeChoice } from '../scope/scope-choice.ts';
import type { TextKey } from '../texts/en.ts';
import { harmless } from '../ui/harmless-text.ts';

/** What is entered, before it is checked. */
export interface ScopeEntry {
  perms: number;
  isEverywhere: boolean;
  ticked: ReadonlySet<string>;
  /** Other namespaces, one per line */
  others: string;
  /** Days, `date`, or empty for no end */
  end: string;
  /** `2027-01-31` */
  date: string;
}

export const firstEntry: ScopeEntry = {
  perms: permissions.read + permissions.write,
  isEverywhere: true,
  ticked: new Set(),
  others: '',
  end: '90',
  date: '',
};

export type ScopeProblem = 'rights' | 'date' | NamesProblem;

const dayMs = 86_400_000;

/** @param now Unix time in ms */
export function readEntry(entry: ScopeEntry, now: number): ScopeChoice | { problem: ScopeProblem } {
  if (entry.perms === 0) return { problem: 'rights' };
  const names = namespaceNames([...entry.ticked, ...entry.others.split('\n')].join('\n'));
  if (!entry.isEverywhere && 'problem' in names) return names;
  // The whole day, where the user is
  const chosen = new Date(`${entry.date}T23:59:59`).getTime();
  if (entry.end === 'date' && !(chosen > now)) return { problem: 'date' };
  return {
    perms: entry.perms,
    namespaces: entry.isEverywhere ? undefined : (names as string[]),
    expiresAt: entry.end === '' ? undefined : entry.end === 'date' ? chosen : now + Number(entry.end) * dayMs,
  };
}

/** Namespaces that are offered to tick; others can be typed. */
const offered = 12;
const rights = ['read', 'write', 'forget'] as const;
const ends: readonly [string, TextKey][] = [
  ['1', 'keys.end.day'],
  ['30', 'keys.end.month'],
  ['90', 'keys.end.quarter'],
  ['365', 'keys.end.year'],
  ['date', 'keys.end.date'],
  ['', 'keys.end.never'],
];

interface ScopeFieldsProps {
  entry: ScopeEntry;
  /** Offered to tick */
  namespaces: readonly string[];
  onChange: (entry: ScopeEntry) => void;
}

/** What a key may do, where, and for how long. */
export function ScopeFields({ entry, namespaces, onChange }: ScopeFieldsProps) {
  const { t } = useTexts();
  const [tomorrow] = useState(() => new Date(Date.now() + dayMs).toISOString().slice(0, 10));
  const change = (part: Partial<ScopeEntry>): void => onChange({ ...entry, ...part });
  const tick = (name: string, isTicked: boolean): void => {
    const ticked = new Set(entry.ticked);
    if (isTicked) ticked.add(name);
    else ticked.delete(name);
    change({ ticked });
  };
  return (
    <>
      <fieldset className="choices-field">
        <legend>{t('keys.may')}</legend>
        {rights.map((right) => (
          <label key={right} className="tick">
            <input
              type="checkbox"
              checked={(entry.perms & permissions[right]) !== 0}
              onChange={() => change({ perms: entry.perms ^ permissions[right] })}
            />
            <span>
              <strong>{t(`scope.${right}`)}</strong> {t(`keys.may.${right}`)}
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset className="choices-field">
        <legend>{t('keys.where')}</legend>
        {([true, false] as const).map((isEverywhere) => (
          <label key={String(isEverywhere)} className="tick">
            <input
              type="radio"
              name="key-where"
              checked={entry.isEverywhere === isEverywhere}
              onChange={() => change({ isEverywhere })}
            />
            <span>{t(isEverywhere ? 'scope.everywhere' : 'keys.where.chosen')}</span>
          </label>
        ))}
        {entry.isEverywhere ? null : (
          <div className="chosen-names">
            {namespaces.slice(0, offered).map((name) => (
              <label key={name} className="tick">
                <input
                  type="checkbox"
                  checked={entry.ticked.has(name)}
                  onChange={({ target }) => tick(name, target.checked)}
                />
                <span className="namespace">{harmless(name, 60)}</span>
              </label>
            ))}
            <label htmlFor="key-names">{t('keys.where.others')}</label>
            <textarea
              id="key-names"
              rows={2}
              spellCheck={false}
              value={entry.others}
              onChange={({ target }) => change({ others: target.value })}
            />
          </div>
        )}
      </fieldset>
      <div className="form-pair">
        <div>
          <label htmlFor="key-end">{t('keys.end')}</label>
          <select id="key-end" value={entry.end} onChange={({ target }) => change({ end: target.value })}>
            {ends.map(([value, text]) => (
              <option key={value} value={value}>
                {t(text)}
              </option>
            ))}
          </select>
        </div>
        {entry.end === 'date' ? (
          <div>
            <label htmlFor="key-date">{t('keys.end.date.label')}</label>
            <input
              id="key-date"
              type="date"
              min={tomorrow}
              value={entry.date}
              onChange={({ target }) => change({ date: target.value })}
            />
          </div>
        ) : null}
      </div>
    </>
  );
}
