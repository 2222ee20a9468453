import type { MemoryEntry } from '@memrelay/sdk/types';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTexts } from '../parts/texts-context.tsx';
import { harmless } from '../ui/harmless-text.ts';
import { MemoryRow } from './memory-row.tsx';

interface MemoryListProps {
  entries: readonly MemoryEntry[];
  hasMore: boolean;
  isLoadingMore: boolean;
  onMore: () => void;
  selected: ReadonlySet<string>;
  onSelect: (entry: MemoryEntry, isSelected: boolean) => void;
}

/** Height of a row in CSS pixels, as in app.css. */
const rowHeight = 84;
/** Rows that one frame moves by, from which on they only fly past: then only their outline is drawn. */
const flyingRows = 8;
/** More is loaded when fewer rows than this are left below. */
const ahead = 50;

/** The rows in view of a list of any length. Arrow keys, Home and End move between rows. */
export function MemoryList({ entries, hasMore, isLoadingMore, onMore, selected, onSelect }: MemoryListProps) {
  const { t } = useTexts();
  const list = useRef<HTMLUListElement>(null);
  const [offset, setOffset] = useState(0);
  const wantsFocus = useRef<number | undefined>(undefined);
  useLayoutEffect(() => setOffset(list.current?.offsetTop ?? 0), []);
  // A new function makes the virtualizer lay out all rows again
  const keyOf = useCallback((index: number) => entries[index]!.id, [entries]);
  const rows = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: offset,
    getItemKey: keyOf,
  });
  const shown = rows.getVirtualItems();
  const top = rows.scrollOffset ?? 0;
  const lastTop = useRef(top);
  const isFlying = rows.isScrolling && Math.abs(top - lastTop.current) > flyingRows * rowHeight;
  useEffect(() => {
    lastTop.current = top;
  }, [top]);
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoadingMore && last > entries.length - ahead) onMore();
  }, [hasMore, isLoadingMore, last, entries.length, onMore]);
  useEffect(() => {
    if (wantsFocus.current === undefined) return;
    const row = list.current?.querySelector<HTMLElement>(
      `[data-index="${wantsFocus.current}"] button.row-open`,
    );
    if (!row) return;
    wantsFocus.current = undefined;
    row.focus();
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    const current = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index;
    if (current === undefined) return;
    const targets: Record<string, number> = {
      ArrowDown: Number(current) + 1,
      ArrowUp: Number(current) - 1,
      Home: 0,
      End: entries.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined || target < 0 || target >= entries.length) return;
    event.preventDefault();
    wantsFocus.current = target;
    rows.scrollToIndex(target);
    list.current?.querySelector<HTMLElement>(`[data-index="${target}"] button.row-open`)?.focus();
  };
  return (
    <ul
      ref={list}
      className="rows"
      aria-label={t('memories.list')}
      style={{ height: rows.getTotalSize() }}
      onKeyDown={onKeyDown}
    >
      {shown.map(({ index, key, start }) => {
        const entry = entries[index]!;
        return (
          <li
            key={key}
            data-index={index}
            className={selected.has(entry.id) ? 'row selected' : 'row'}
            aria-setsize={hasMore ? -1 : entries.length}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start - offset}px)` }}
          >
            {isFlying ? (
              <FlyingRow namespace={entry.namespace} />
            ) : (
              <MemoryRow
                entry={entry}
                mayRead={!rows.isScrolling || index < 20}
                isSelected={selected.has(entry.id)}
                onSelect={onSelect}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

function FlyingRow({ namespace }: { namespace: string }) {
  return (
    <>
      <span className="check-box" />
      <div className="row-open">
        <span className="row-text">
          <span className="skeleton" />
        </span>
        <span className="row-facts">
          <span className="namespace">{harmless(namespace, 40)}</span>
        </span>
      </div>
    </>
  );
}
