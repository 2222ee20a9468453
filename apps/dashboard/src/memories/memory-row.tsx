import type { MemoryEntry } from '@memrelay/sdk/types';
import { memo } from 'react';
import { Checkbox } from 'react-aria-components/Checkbox';
import { Icon } from '../parts/icon.tsx';
import { setParameters } from '../parts/location.ts';
import { useTexts } from '../parts/texts-context.tsx';
import { harmless } from '../ui/harmless-text.ts';
import { useMemory } from './memory-queries.ts';
import { MemoryState } from './memory-state.tsx';

interface MemoryRowProps {
  entry: MemoryEntry;
  /** False while the list scrolls quickly: texts of rows that only fly past are not read */
  mayRead: boolean;
  isSelected: boolean;
  onSelect: (entry: MemoryEntry, isSelected: boolean) => void;
}

const shownCharacters = 400;

/** Not drawn again while the list scrolls, as long as nothing changes in it. */
export const MemoryRow = memo(function MemoryRow({ entry, mayRead, isSelected, onSelect }: MemoryRowProps) {
  const { t, bytes, ago, dateTime } = useTexts();
  const { data, isError } = useMemory(entry, mayRead && entry.lost === undefined);
  const text = data?.text === undefined ? undefined : harmless(data.text, shownCharacters);
  const isGone = entry.lost !== undefined || isError || (data !== undefined && text === undefined);
  return (
    <>
      <Checkbox
        className="check"
        isSelected={isSelected}
        onChange={(isChosen) => onSelect(entry, isChosen)}
        aria-label={t('memories.select', { text: text?.slice(0, 60) ?? entry.id })}
      >
        <span className="check-box">
          <Icon name="check" size={13} />
        </span>
      </Checkbox>
      <button type="button" className="row-open" onClick={() => setParameters({ memory: entry.id })}>
        <span className="row-text">
          {isGone ? (
            <em>{t(entry.lost === undefined ? 'memories.unreadable' : 'memories.gone')}</em>
          ) : (
            (text ?? <span className="skeleton" />)
          )}
        </span>
        <span className="row-facts">
          <span className="namespace">{harmless(entry.namespace, 40)}</span>
          {data?.tags?.slice(0, 3).map((tag) => (
            <span key={tag} className="tag">
              {harmless(tag, 24)}
            </span>
          ))}
          <time dateTime={entry.createdAt} title={dateTime(entry.createdAt)}>
            {ago(entry.createdAt)}
          </time>
          <span>{bytes(entry.size)}</span>
          {entry.expiresEpoch === undefined ? null : (
            <span className="wide">{t('row.expires', { epoch: entry.expiresEpoch })}</span>
          )}
        </span>
      </button>
      <MemoryState entry={entry} />
    </>
  );
});
