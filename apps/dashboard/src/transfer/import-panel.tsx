import type { Source } from '@memrelay/import-files/source';
import { defaultNamespace } from '@memrelay/protocol/limits';
import { type FormEvent, useId, useState } from 'react';
import { useNamespaces, useRefresh } from '../memories/memory-queries.ts';
import { Button } from '../parts/button.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { ProgressNote } from '../parts/progress-note.tsx';
import { ResultNote } from '../parts/result-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useRun } from '../parts/use-run.ts';
import { useSession } from '../session/session-context.ts';
import { harmless } from '../ui/harmless-text.ts';
import { PassphraseField } from './export-panel.tsx';
import { ImportPreview, type Preview } from './import-preview.tsx';
import { isBundleFile, type ReadBundle, readBundle, readSource } from './read-import.ts';
import { type Imported, runBundleImport, runFileImport } from './run-imports.ts';

type Read = { kind: 'locked' } | ({ kind: 'bundle' } & ReadBundle) | { kind: 'source'; source: Source };

/** Formats with messages of several roles, of which those of the user are imported unless chosen otherwise. */
const chats = /^(?:ChatGPT export|Claude export|Letta agent file)/;
const shownSamples = 5;

/** Reads a file, shows what it would store, and stores it. */
export function ImportPanel() {
  const { t, counted, number, date } = useTexts();
  const { client } = useSession();
  const refresh = useRefresh();
  const id = useId();
  const names = (useNamespaces().data ?? []).map(({ namespace }) => namespace);
  const [file, setFile] = useState<File>();
  const [passphrase, setPassphrase] = useState('');
  const [everyone, setEveryone] = useState(false);
  const [target, setTarget] = useState('');
  const [progress, setProgress] = useState({ total: 0, accepted: 0, stored: 0 });
  const reading = useRun<{ from: File; passphrase: string; everyone: boolean }, Read>(
    async ({ from, passphrase: secret, everyone: all }) => {
      if (!(await isBundleFile(from))) return { kind: 'source', source: await readSource(from, all) };
      return secret === '' ? { kind: 'locked' } : { kind: 'bundle', ...(await readBundle(from, secret)) };
    },
  );
  const read = reading.state.kind === 'done' ? reading.state.result : undefined;
  const hasOwn = read?.kind === 'source' && read.source.file.memories.some(({ namespace }) => namespace);
  const namespace = target.trim() || defaultNamespace;
  const own = hasOwn && target.trim() === '';
  const storing = useRun<Read, Imported>(async (chosen, signal) => {
    const run = { client, signal, onProgress: setProgress, lostJob: t('work.lost-job') };
    setProgress({ total: 0, accepted: 0, stored: 0 });
    try {
      if (chosen.kind === 'bundle') return await runBundleImport(run, chosen.bundle);
      if (chosen.kind === 'source') return await runFileImport(run, chosen.source, { namespace, own });
      throw new Error('a locked bundle cannot be imported');
    } finally {
      refresh();
    }
  });
  const choose = (next: File | undefined): void => {
    setFile(next);
    setPassphrase('');
    setEveryone(false);
    storing.reset();
    if (next) reading.start({ from: next, passphrase: '', everyone: false });
    else reading.reset();
  };
  const unlock = (event?: FormEvent): void => {
    event?.preventDefault();
    if (file && passphrase !== '') reading.start({ from: file, passphrase, everyone });
  };
  const isStoring = storing.state.kind === 'running';
  const isLocked =
    read?.kind === 'locked' ||
    (reading.state.kind === 'failed' &&
      (reading.state.error as { code?: unknown }).code === 'wrong_passphrase');
  return (
    <section className="panel">
      <h2>{t('import.title')}</h2>
      <p className="hint">{t('import.about')}</p>
      <div className="form">
        <label htmlFor={`${id}file`}>{t('import.file')}</label>
        <input
          id={`${id}file`}
          type="file"
          disabled={isStoring}
          accept=".mrb,.zip,.json,.jsonl,.md,.markdown,.txt,.af"
          onChange={({ target: { files } }) => choose(files?.[0])}
        />
        {reading.state.kind === 'running' ? <ProgressNote text={t('import.reading')} /> : null}
        {reading.state.kind === 'failed' ? <ProblemNote error={reading.state.error} /> : null}
        {isLocked ? (
          <form className="form" onSubmit={unlock}>
            <PassphraseField label={t('export.passphrase')} value={passphrase} onChange={setPassphrase} />
            <div className="form-actions">
              <Button
                kind="main"
                text={t('import.open')}
                isDisabled={passphrase === ''}
                onPress={() => unlock()}
              />
            </div>
          </form>
        ) : null}
        {read === undefined || read.kind === 'locked' || storing.state.kind === 'done' ? null : (
          <>
            <ImportPreview preview={previewOf(read)} />
            {read.kind === 'source' && (chats.test(read.source.kind) || everyone) ? (
              <label className="option">
                <input
                  type="checkbox"
                  checked={everyone}
                  disabled={isStoring}
                  onChange={({ target: { checked } }) => {
                    setEveryone(checked);
                    if (file) reading.start({ from: file, passphrase, everyone: checked });
                  }}
                />
                <span>{t('import.everyone')}</span>
              </label>
            ) : null}
            {read.kind === 'source' ? (
              <>
                <label htmlFor={`${id}namespace`}>{t('add.namespace')}</label>
                <input
                  id={`${id}namespace`}
                  type="text"
                  list={`${id}namespaces`}
                  autoComplete="off"
                  disabled={isStoring}
                  value={target}
                  placeholder={hasOwn ? t('import.own') : defaultNamespace}
                  onChange={(event) => setTarget(event.target.value)}
                />
                <datalist id={`${id}namespaces`}>
                  {names.map((name) => (
                    <option key={name} value={name} />
                  ))}
                </datalist>
              </>
            ) : null}
            {storing.state.kind === 'failed' ? <ProblemNote error={storing.state.error} /> : null}
            {storing.state.kind === 'stopped' ? (
              <p className="note" role="status">
                {t('import.stopped', { done: number(progress.accepted), total: number(progress.total) })}
              </p>
            ) : null}
            {isStoring ? (
              <ProgressNote
                text={t('work.storing', { done: number(progress.stored), total: number(progress.total) })}
                value={progress.stored}
                total={progress.total}
                onStop={storing.stop}
              />
            ) : (
              <div className="form-actions">
                <Button
                  kind="main"
                  icon="add"
                  text={counted('import.start', previewOf(read).total)}
                  isDisabled={previewOf(read).total === 0}
                  onPress={() => storing.start(read)}
                />
              </div>
            )}
          </>
        )}
        {storing.state.kind === 'done' ? <Outcome imported={storing.state.result} /> : null}
      </div>
    </section>
  );

  function previewOf(of: Exclude<Read, { kind: 'locked' }>): Preview {
    if (of.kind === 'bundle') {
      const { start, memories } = of.bundle;
      const kind = t('import.bundle', { day: date(start.created_at) });
      return { kind, total: memories, namespaces: of.namespaces, samples: [], refused: [] };
    }
    const { memories, refused } = of.source.file;
    const namespaces = new Map<string, number>();
    for (const memory of memories) {
      const place = own ? (memory.namespace ?? namespace) : namespace;
      namespaces.set(place, (namespaces.get(place) ?? 0) + 1);
    }
    return {
      kind: kindOf(of.source.kind),
      total: memories.length,
      namespaces,
      samples: memories.slice(0, shownSamples).map(({ text }) => text),
      refused: refused.map(({ place, reason }) => ({ name: place, reason })),
    };
  }

  /** Formats of other programs keep their names. */
  function kindOf(kind: string): string {
    if (kind === 'file') return t('import.kind.text');
    return kind === 'note' || kind === 'archive of notes' ? t('import.kind.notes') : harmless(kind, 80);
  }
}

function Outcome({ imported }: { imported: Imported }) {
  const { t, counted } = useTexts();
  const { stored, known, unverified, failures } = imported;
  return (
    <ResultNote
      title={counted('work.stored', stored)}
      about={[
        ...(known > 0 ? [counted('work.known', known)] : []),
        ...(unverified > 0 ? [counted('restore.unverified', unverified)] : []),
      ]}
      failures={failures}
    >
      <p>
        <PageLink to="/memories">{t('work.show')}</PageLink>
      </p>
    </ResultNote>
  );
}
