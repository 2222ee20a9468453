import type { FactsPreview } from '@memrelay/sdk/analyze';
import type { JobOutcome } from '@memrelay/sdk/types';
import { useState } from 'react';
import { Checkbox } from 'react-aria-components/Checkbox';
import { MemoryFields } from '../memories/memory-fields.tsx';
import { useRefresh } from '../memories/memory-queries.ts';
import { type NewMemory, rememberOptions } from '../memories/save-memory.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Icon } from '../parts/icon.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { ProgressNote } from '../parts/progress-note.tsx';
import { ResultNote } from '../parts/result-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useRun } from '../parts/use-run.ts';
import { useSession } from '../session/session-context.ts';
import { harmless } from '../ui/harmless-text.ts';
import { saveFacts } from './save-facts.ts';

interface FactsChoiceProps {
  preview: FactsPreview;
  /** The form that the facts were found with */
  of: NewMemory;
  /** Namespaces, offered while typing */
  names: readonly string[];
  /** Back to the same text */
  onBack: () => void;
  /** To an empty form */
  onNew: () => void;
}

const shownCharacters = 600;

/** The facts of a text, to choose from, and how storing them went. */
export function FactsChoice({ preview, of, names, onBack, onNew }: FactsChoiceProps) {
  const { t, counted } = useTexts();
  const { client } = useSession();
  const refresh = useRefresh();
  const { facts, unchanged = [] } = preview;
  const [memory, setMemory] = useState(of);
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const [ended, setEnded] = useState(0);
  // One key for each choice: a retry stores nothing twice, and a changed choice is another request
  const [keys] = useState(() => new Map<string, string>());
  const { namespace = 'default' } = rememberOptions(memory);
  const isSameNamespace = namespace === (rememberOptions(of).namespace ?? 'default');
  const replaced = new Set<string>();
  const chosen = facts.flatMap((fact, i) => {
    if (left.has(i)) return [];
    const [earlier] = isSameNamespace ? (fact.supersedes ?? []) : [];
    const replaces = earlier === undefined || replaced.has(earlier) ? undefined : earlier;
    if (replaces !== undefined) replaced.add(replaces);
    return [{ text: fact.text, replaces }];
  });
  const save = useRun<undefined, JobOutcome[]>(async (_, signal) => {
    setEnded(0);
    const choice = JSON.stringify([chosen, memory]);
    const idempotencyKey = keys.get(choice) ?? crypto.randomUUID();
    keys.set(choice, idempotencyKey);
    try {
      return await saveFacts(client, chosen, rememberOptions(memory), {
        idempotencyKey,
        signal,
        onProgress: setEnded,
      });
    } finally {
      refresh();
    }
  });
  const notes = [
    ...(preview.mock ? [t('facts.mock')] : []),
    ...(preview.context === 'unavailable' ? [t('facts.unavailable')] : []),
  ].map((text) => (
    <p key={text} className="note">
      {text}
    </p>
  ));
  const known =
    unchanged.length === 0 ? null : (
      <details className="left-out">
        <summary>{counted('facts.known', unchanged.length)}</summary>
        <ul>
          {unchanged.map(({ id, text }) => (
            <li key={id + text}>
              <PageLink to={`/memories/facts?memory=${id}`}>{harmless(text, shownCharacters)}</PageLink>
            </li>
          ))}
        </ul>
      </details>
    );
  if (facts.length === 0)
    return (
      <>
        {notes}
        <EmptyState
          icon="memories"
          title={t(unchanged.length > 0 ? 'facts.all-known' : 'facts.none')}
          about={t(unchanged.length > 0 ? 'facts.all-known.about' : 'facts.none.about')}
        >
          <Button kind="main" text={t('facts.again')} onPress={onNew} />
        </EmptyState>
        {known}
      </>
    );
  if (save.state.kind === 'done') {
    const outcomes = save.state.result;
    const stored = outcomes.filter(({ status }) => status === 'done');
    const same = stored.filter(({ deduplicated }) => deduplicated === true).length;
    return (
      <div className="panel">
        <ResultNote
          title={counted('work.stored', stored.length)}
          about={same === 0 ? [] : [counted('work.known', same)]}
          failures={outcomes.flatMap(({ status, error }, i) =>
            status === 'done' ? [] : [{ name: chosen[i]!.text, reason: error ?? t('work.lost-job') }],
          )}
        >
          <div className="form-actions start">
            <PageLink to={`/memories?namespace=${encodeURIComponent(namespace)}`} className="button main">
              {t('work.show')}
            </PageLink>
            <Button text={t('facts.again')} onPress={onNew} />
          </div>
        </ResultNote>
      </div>
    );
  }
  const isSaving = save.state.kind === 'running';
  const setAll = (isChosen: boolean): void => setLeft(new Set(isChosen ? [] : facts.keys()));
  return (
    <section className="panel form" aria-label={t('facts.found.label')}>
      <div className="choice-head">
        <h2>
          <span role="status">{counted('facts.found', facts.length)}</span>
        </h2>
        <Button
          small
          text={t(left.size === 0 ? 'facts.none-of-them' : 'facts.all')}
          isDisabled={isSaving}
          onPress={() => setAll(left.size > 0)}
        />
      </div>
      {notes}
      <ul className="fact-list">
        {facts.map(({ text, supersedes }, i) => (
          <li key={text}>
            <Checkbox
              className="check fact"
              isSelected={!left.has(i)}
              isDisabled={isSaving}
              onChange={(isChosen) => {
                const next = new Set(left);
                if (isChosen) next.delete(i);
                else next.add(i);
                setLeft(next);
              }}
            >
              <span className="check-box">
                <Icon name="check" size={13} />
              </span>
              <span>{harmless(text, shownCharacters)}</span>
            </Checkbox>
            {supersedes?.[0] === undefined || !isSameNamespace ? null : (
              <p className="hint fact-note">
                <PageLink to={`/memories/facts?memory=${supersedes[0]}`}>{t('facts.replaces')}</PageLink>
              </p>
            )}
          </li>
        ))}
      </ul>
      {known}
      <MemoryFields
        memory={memory}
        namespaces={names}
        onChange={(part) => setMemory((all) => ({ ...all, ...part }))}
      />
      {isSameNamespace ? null : (
        <p className="note">{t('facts.other-namespace', { namespace: of.namespace })}</p>
      )}
      {save.state.kind === 'failed' ? <ProblemNote error={save.state.error} /> : null}
      {save.state.kind === 'stopped' ? <p className="note">{t('facts.stopped')}</p> : null}
      {isSaving ? (
        <ProgressNote
          text={t('work.storing', { done: ended, total: chosen.length })}
          value={ended}
          total={chosen.length}
          onStop={save.stop}
        />
      ) : (
        <div className="form-actions">
          <Button text={t('facts.back')} onPress={onBack} />
          <Button
            kind="main"
            text={counted('facts.save', chosen.length)}
            isDisabled={chosen.length === 0}
            onPress={() => save.start(undefined)}
          />
        </div>
      )}
    </section>
  );
}
