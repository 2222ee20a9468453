import { limits } from '@memrelay/protocol/limits';
import type { FactsPreview } from '@memrelay/sdk/analyze';
import { type FormEvent, useState } from 'react';
import { MemoryDetail } from '../memories/memory-detail.tsx';
import { MemoryFields } from '../memories/memory-fields.tsx';
import { useNamespaces } from '../memories/memory-queries.ts';
import { MemoryTabs } from '../memories/memory-tabs.tsx';
import { type NewMemory, rememberOptions } from '../memories/save-memory.ts';
import { Button } from '../parts/button.tsx';
import { setParameters, usePlace } from '../parts/location.ts';
import { PageHead } from '../parts/page-head.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { ProgressNote } from '../parts/progress-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useRun } from '../parts/use-run.ts';
import { useSession } from '../session/session-context.ts';
import { FactsChoice } from './facts-choice.tsx';

/** Finds the facts of a text, lets the user choose, and stores the chosen ones. */
export function FactsPage() {
  const { t, bytes } = useTexts();
  const { client } = useSession();
  const { parameters } = usePlace();
  const names = (useNamespaces().data ?? []).map(({ namespace }) => namespace);
  const [memory, setMemory] = useState<NewMemory>({ text: '', namespace: 'default', tags: '', until: '' });
  const [problem, setProblem] = useState<string>();
  const preview = useRun<NewMemory, { found: FactsPreview; of: NewMemory }>(async (of, signal) => {
    const { namespace } = rememberOptions(of);
    return { found: await client.previewFacts(of.text, { namespace, signal }), of };
  });
  const opened = parameters.get('memory') ?? undefined;
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    const found = problemOf(memory.text);
    setProblem(found);
    if (found === undefined && preview.state.kind !== 'running') preview.start(memory);
  };
  const problemOf = (text: string): string | undefined => {
    const size = new TextEncoder().encode(text).byteLength;
    if (text.trim() === '') return t('add.empty');
    if (size <= limits.analyzeTextBytes) return undefined;
    return t('facts.too-long', { size: bytes(size), most: bytes(limits.analyzeTextBytes) });
  };
  const { state } = preview;
  return (
    <>
      <PageHead title={t('facts.title')} about={t('facts.about')} />
      <MemoryTabs />
      {state.kind === 'done' ? (
        <FactsChoice
          preview={state.result.found}
          of={state.result.of}
          names={names}
          onBack={preview.reset}
          onNew={() => {
            setMemory({ ...memory, text: '' });
            preview.reset();
          }}
        />
      ) : (
        <form className="panel form" onSubmit={submit}>
          <label htmlFor="facts-text">{t('facts.text')}</label>
          <textarea
            id="facts-text"
            rows={10}
            value={memory.text}
            placeholder={t('facts.placeholder')}
            aria-invalid={problem !== undefined}
            aria-describedby={problem === undefined ? 'facts-hint' : 'facts-problem'}
            onChange={({ target }) => setMemory({ ...memory, text: target.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit();
            }}
          />
          {problem === undefined ? null : (
            <p id="facts-problem" className="problem" role="alert">
              {problem}
            </p>
          )}
          <p id="facts-hint" className="hint">
            {t('facts.hint')}
          </p>
          <MemoryFields
            memory={memory}
            namespaces={names}
            onChange={(part) => setMemory({ ...memory, ...part })}
          />
          {state.kind === 'failed' ? (
            <ProblemNote error={state.error} onRetry={() => preview.start(memory)} />
          ) : null}
          {state.kind === 'running' ? (
            <ProgressNote text={t('facts.busy')} onStop={preview.stop} />
          ) : (
            <div className="form-actions">
              <Button kind="main" icon="search" text={t('facts.find')} onPress={() => submit()} />
            </div>
          )}
        </form>
      )}
      {opened === undefined ? null : (
        <MemoryDetail id={opened} onClose={() => setParameters({ memory: undefined })} />
      )}
    </>
  );
}
