import type { MemoryEntry } from '@memrelay/sdk/types';
import { useState } from 'react';
import { BusyNote } from '../parts/busy-note.tsx';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { setParameters, usePlace } from '../parts/location.ts';
import { PageHead } from '../parts/page-head.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { AddMemory } from './add-memory.tsx';
import { FailedJobs } from './failed-jobs.tsx';
import { useForget } from './forget-context.tsx';
import { MemoryDetail } from './memory-detail.tsx';
import { MemoryList } from './memory-list.tsx';
import { type MemoryFilter, useMemoryList, useNamespaces, useSearch } from './memory-queries.ts';
import { MemoryTabs } from './memory-tabs.tsx';
import { SearchBar } from './search-bar.tsx';
import { SearchResults } from './search-results.tsx';

export function MemoriesPage() {
  const { t, counted } = useTexts();
  const { parameters } = usePlace();
  const namespaces = useNamespaces();
  const [isAdding, setIsAdding] = useState(false);
  const question = parameters.get('q') ?? '';
  const namespace = parameters.get('namespace') ?? undefined;
  const filter = {
    namespace,
    tag: namespace === undefined ? undefined : (parameters.get('tag') ?? undefined),
  };
  const opened = parameters.get('memory') ?? undefined;
  const all = namespaces.data ?? [];
  const total = all
    .filter((each) => namespace === undefined || each.namespace === namespace)
    .reduce((sum, { memoryCount }) => sum + memoryCount, 0);
  return (
    <>
      <PageHead
        title={t('memories.title')}
        about={namespaces.data ? counted('memories.count', total) : t('app.loading')}
      >
        <Button kind="main" icon="add" text={t('action.add')} onPress={() => setIsAdding(true)} />
      </PageHead>
      <MemoryTabs />
      <SearchBar question={question} filter={filter} namespaces={all} />
      <FailedJobs />
      {question === '' ? (
        <Listed filter={filter} onAdd={() => setIsAdding(true)} />
      ) : (
        <Searched
          question={question}
          filter={filter}
          names={all.toSorted((a, b) => b.memoryCount - a.memoryCount).map((each) => each.namespace)}
        />
      )}
      {isAdding ? (
        <AddMemory
          namespace={namespace ?? 'default'}
          namespaces={all.map((each) => each.namespace)}
          onClose={() => setIsAdding(false)}
        />
      ) : null}
      {opened === undefined ? null : (
        <MemoryDetail id={opened} onClose={() => setParameters({ memory: undefined })} />
      )}
    </>
  );
}

function Searched({ question, filter, names }: { question: string; filter: MemoryFilter; names: string[] }) {
  const { t } = useTexts();
  const { hidden } = useForget();
  const { data, error, isPending, refetch } = useSearch(question, filter, names);
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (isPending) return <BusyNote text={t('search.busy')} />;
  return <SearchResults found={data} hidden={hidden} />;
}

function Listed({ filter, onAdd }: { filter: MemoryFilter; onAdd: () => void }) {
  const { t } = useTexts();
  const { hidden, forget } = useForget();
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } =
    useMemoryList(filter);
  const [selected, setSelected] = useState<ReadonlyMap<string, MemoryEntry>>(new Map());
  if (isPending) return <ListSkeleton />;
  if (!data) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  const entries = data.pages.flatMap(({ memories }) => memories).filter(({ id }) => !hidden.has(id));
  const chosen = entries.filter(({ id }) => selected.has(id));
  const select = (entry: MemoryEntry, isSelected: boolean): void =>
    setSelected((before) => {
      const next = new Map(before);
      if (isSelected) next.set(entry.id, entry);
      else next.delete(entry.id);
      return next;
    });
  if (entries.length === 0 && !hasNextPage)
    return filter.tag === undefined ? (
      <EmptyState icon="memories" title={t('memories.empty.title')} about={t('memories.empty.about')}>
        <Button kind="main" icon="add" text={t('action.add')} onPress={onAdd} />
      </EmptyState>
    ) : (
      <EmptyState icon="tag" title={t('memories.filtered.title')} about={t('memories.filtered.about')} />
    );
  return (
    <>
      {error ? <ProblemNote error={error} onRetry={() => void refetch()} /> : null}
      <MemoryList
        entries={entries}
        hasMore={hasNextPage}
        isLoadingMore={isFetchingNextPage}
        onMore={fetchNextPage}
        selected={new Set(chosen.map(({ id }) => id))}
        onSelect={select}
      />
      {chosen.length === 0 ? null : (
        <SelectionBar
          count={chosen.length}
          onClear={() => setSelected(new Map())}
          onForget={() => {
            setSelected(new Map());
            forget(chosen);
          }}
        />
      )}
    </>
  );
}

interface SelectionBarProps {
  count: number;
  onClear: () => void;
  onForget: () => void;
}

function SelectionBar({ count, onClear, onForget }: SelectionBarProps) {
  const { t, counted } = useTexts();
  return (
    <div className="selection-bar" role="toolbar" aria-label={counted('memories.selected', count)}>
      <span>{counted('memories.selected', count)}</span>
      <Button small text={t('memories.selection.clear')} onPress={onClear} />
      <Button small kind="danger" icon="forget" text={t('action.forget')} onPress={onForget} />
    </div>
  );
}

function ListSkeleton() {
  const { t } = useTexts();
  return (
    <div role="status">
      <span className="unseen">{t('app.loading')}</span>
      {[1, 2, 3, 4].map((row) => (
        <div key={row} className="row waiting">
          <span className="skeleton" />
        </div>
      ))}
    </div>
  );
}
