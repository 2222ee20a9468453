import type { AskResult } from '@memrelay/sdk/ask';
import { type FormEvent, useState } from 'react';
import { MemoryDetail } from '../memories/memory-detail.tsx';
import { useNamespaces } from '../memories/memory-queries.ts';
import { MemoryTabs } from '../memories/memory-tabs.tsx';
import { Button } from '../parts/button.tsx';
import { ChoiceField } from '../parts/choice-field.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { setParameters, usePlace } from '../parts/location.ts';
import { PageHead } from '../parts/page-head.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { ProgressNote } from '../parts/progress-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useRun } from '../parts/use-run.ts';
import { useSession } from '../session/session-context.ts';
import { harmless } from '../ui/harmless-text.ts';
import { Answer, lines } from './answer.tsx';

interface Question {
  question: string;
  namespace: string;
}

/** Answers a question from the memories of a namespace, and links the memories that the answer cites. */
export function AskPage() {
  const { t, number } = useTexts();
  const { client } = useSession();
  const { parameters } = usePlace();
  const { data } = useNamespaces();
  const all = (data ?? []).toSorted((a, b) => b.memoryCount - a.memoryCount);
  const [question, setQuestion] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [written, setWritten] = useState('');
  const namespace = chosen ?? all[0]?.namespace ?? 'default';
  const ask = useRun<Question, AskResult>(async (asked, signal) => {
    setWritten('');
    let text = '';
    for await (const event of client.askStream(asked.question, { namespace: asked.namespace, signal })) {
      if (event.type === 'done') return event;
      text += event.text;
      setWritten(text);
    }
    throw new Error(t('ask.incomplete'));
  });
  const { state } = ask;
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (question.trim() !== '' && state.kind !== 'running')
      ask.start({ question: question.trim(), namespace });
  };
  const opened = parameters.get('memory') ?? undefined;
  return (
    <>
      <PageHead title={t('ask.title')} about={t('ask.about')} />
      <MemoryTabs />
      {data?.length === 0 ? (
        <EmptyState icon="memories" title={t('memories.empty.title')} about={t('ask.empty.about')}>
          <PageLink to="/memories/facts" className="button main">
            {t('facts.title')}
          </PageLink>
        </EmptyState>
      ) : (
        <form className="ask-form" onSubmit={submit}>
          <textarea
            rows={2}
            aria-label={t('ask.question')}
            placeholder={t('ask.hint')}
            value={question}
            onChange={({ target }) => setQuestion(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              submit();
            }}
          />
          <div className="ask-actions">
            <ChoiceField
              label={t('memories.namespace')}
              value={namespace}
              choices={all.map((each) => ({
                value: each.namespace,
                text: harmless(each.namespace, 60),
                note: number(each.memoryCount),
              }))}
              onChange={setChosen}
            />
            <Button
              kind="main"
              text={t('ask.ask')}
              isDisabled={question.trim() === ''}
              isBusy={state.kind === 'running'}
              onPress={() => submit()}
            />
          </div>
        </form>
      )}
      {state.kind === 'running' ? (
        <section className="panel answer" aria-busy="true" aria-label={t('ask.answer')}>
          {written === '' ? null : <Written text={written} />}
          <ProgressNote text={t(written === '' ? 'ask.reading' : 'ask.writing')} onStop={ask.stop} />
        </section>
      ) : null}
      {state.kind === 'stopped' ? (
        <section className="panel answer" aria-label={t('ask.answer')}>
          {written === '' ? null : <Written text={written} />}
          <p className="note" role="status">
            {t('ask.stopped')}
          </p>
        </section>
      ) : null}
      {state.kind === 'failed' ? <ProblemNote error={state.error} onRetry={() => submit()} /> : null}
      {state.kind === 'done' ? <Answer answer={state.result} /> : null}
      {opened === undefined ? null : (
        <MemoryDetail id={opened} onClose={() => setParameters({ memory: undefined })} />
      )}
    </>
  );
}

/** The part of an answer that has arrived. */
function Written({ text }: { text: string }) {
  return <p className="answer-text">{lines(text).join('\n')}</p>;
}
