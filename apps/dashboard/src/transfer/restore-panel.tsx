import type { Restored } from '@memrelay/sdk/restore';
import { useState } from 'react';
import { useNamespaces, useRefresh } from '../memories/memory-queries.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { ProgressNote } from '../parts/progress-note.tsx';
import { ResultNote } from '../parts/result-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useRun } from '../parts/use-run.ts';
import { useSession } from '../session/session-context.ts';

/** Rebuilds the index of a namespace from the blobs that its owner holds. */
export function RestorePanel() {
  const { t } = useTexts();
  const { client } = useSession();
  const refresh = useRefresh();
  const names = (useNamespaces().data ?? []).map(({ namespace }) => namespace);
  const [typed, setTyped] = useState<string>();
  const [progress, setProgress] = useState<Restored>();
  const namespace = typed ?? names[0] ?? 'default';
  const run = useRun<string, Restored>(async (of, signal) => {
    setProgress(undefined);
    try {
      // Few at a time, so that the page shows how far it is
      return await client.restore({ namespace: of, limit: 20, signal, onProgress: setProgress });
    } finally {
      refresh();
    }
  });
  const { state } = run;
  const { restored = 0, skipped = 0, total = 0 } = progress ?? {};
  return (
    <section className="panel">
      <h2>{t('restore.title')}</h2>
      <p className="hint">{t('restore.about')}</p>
      <div className="form">
        <label htmlFor="restore-namespace">{t('restore.namespace')}</label>
        <input
          id="restore-namespace"
          type="text"
          list="restore-namespaces"
          autoComplete="off"
          value={namespace}
          onChange={({ target }) => setTyped(target.value)}
        />
        <datalist id="restore-namespaces">
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        {state.kind === 'failed' ? <ProblemNote error={state.error} /> : null}
        {state.kind === 'stopped' ? (
          <p className="note" role="status">
            {t('restore.stopped')}
          </p>
        ) : null}
        {state.kind === 'done' ? <Outcome restored={state.result} /> : null}
        {state.kind === 'running' ? (
          <ProgressNote
            text={total === 0 ? t('restore.looking') : t('restore.busy', { done: restored + skipped, total })}
            value={restored + skipped}
            total={total}
            onStop={run.stop}
          />
        ) : (
          <div className="form-actions">
            <Button
              icon="retry"
              text={t('restore.start')}
              isDisabled={namespace.trim() === ''}
              onPress={() => run.start(namespace.trim())}
            />
          </div>
        )}
      </div>
    </section>
  );
}

function Outcome({
  restored: { restored: count, total: found, unverified = 0, failed = [] },
}: {
  restored: Restored;
}) {
  const { t, counted } = useTexts();
  const about = [
    ...(found === 0 ? [t('restore.nothing')] : []),
    ...(found > 0 && count === 0 && failed.length === 0 ? [t('restore.complete')] : []),
    ...(count > 0 ? [t('restore.again')] : []),
    ...(unverified > 0 ? [counted('restore.unverified', unverified)] : []),
  ];
  return (
    <ResultNote
      title={counted('restore.done', count)}
      about={about}
      failures={failed.map(({ blobId, reason }) => ({ name: blobId, reason }))}
    />
  );
}
