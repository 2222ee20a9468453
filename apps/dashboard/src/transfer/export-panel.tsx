import { type FormEvent, useId, useState } from 'react';
import { useNamespaces } from '../memories/memory-queries.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { ProgressNote } from '../parts/progress-note.tsx';
import { ResultNote } from '../parts/result-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useRun } from '../parts/use-run.ts';
import { useSession } from '../session/session-context.ts';
import { ChooseNamespace } from './choose-namespace.tsx';
import { type ExportChoice, type Exported, type ExportFormat, exportMemories } from './export-memories.ts';

const formats: readonly ExportFormat[] = ['bundle', 'jsonl', 'md'];
const shortestPassphrase = 12;

/** Saves memories as a file: encrypted, or readable. */
export function ExportPanel() {
  const { t, counted, bytes } = useTexts();
  const { client } = useSession();
  const id = useId();
  const namespaces = useNamespaces().data ?? [];
  const [format, setFormat] = useState<ExportFormat>('bundle');
  const [namespace, setNamespace] = useState<string>();
  const [passphrase, setPassphrase] = useState('');
  const [repeated, setRepeated] = useState('');
  const [problem, setProblem] = useState<string>();
  const [done, setDone] = useState(0);
  const run = useRun<ExportChoice, Exported>((choice, signal) => {
    setDone(0);
    return exportMemories(client, choice, signal, setDone);
  });
  const total = namespaces
    .filter((each) => namespace === undefined || each.namespace === namespace)
    .reduce((sum, { memoryCount }) => sum + memoryCount, 0);
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (run.state.kind === 'running') return;
    const found = format === 'bundle' ? passphraseProblem() : undefined;
    setProblem(found);
    if (found === undefined) run.start({ format, namespace, passphrase });
  };
  const passphraseProblem = (): string | undefined => {
    if ([...passphrase].length < shortestPassphrase)
      return t('export.passphrase.short', { count: shortestPassphrase });
    return passphrase === repeated ? undefined : t('export.passphrase.differs');
  };
  const { state } = run;
  return (
    <section className="panel">
      <h2>{t('export.title')}</h2>
      <form className="form" onSubmit={submit}>
        <fieldset className="options">
          <legend>{t('export.format')}</legend>
          {formats.map((each) => (
            <label key={each} className="option">
              <input
                type="radio"
                name={`${id}format`}
                value={each}
                checked={format === each}
                onChange={() => setFormat(each)}
              />
              <span>
                <strong>{t(`export.format.${each}`)}</strong>
                <span className="hint">{t(`export.about.${each}`)}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <ChooseNamespace label={t('export.namespace')} value={namespace} onChange={setNamespace} hasAll />
        {format === 'bundle' ? (
          <div className="form-pair">
            <PassphraseField
              label={t('export.passphrase')}
              value={passphrase}
              onChange={setPassphrase}
              isNew
            />
            <PassphraseField
              label={t('export.passphrase.again')}
              value={repeated}
              onChange={setRepeated}
              isNew
            />
          </div>
        ) : null}
        {problem === undefined ? null : (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        {state.kind === 'failed' ? <ProblemNote error={state.error} /> : null}
        {state.kind === 'stopped' ? (
          <p className="note" role="status">
            {t('export.stopped')}
          </p>
        ) : null}
        {state.kind === 'done' ? (
          <ResultNote
            title={counted('export.done', state.result.memories)}
            about={[t(`export.kept.${format === 'bundle' ? 'bundle' : 'open'}`)]}
            failures={state.result.failed.map((each) => ({ name: each.id, reason: each.reason }))}
          >
            <p>
              <a href={state.result.file.address} download={state.result.file.name}>
                {t('export.again', {
                  name: state.result.file.name,
                  size: bytes(state.result.file.size),
                })}
              </a>
            </p>
          </ResultNote>
        ) : null}
        {state.kind === 'running' ? (
          <ProgressNote
            text={t('export.busy', { done, total })}
            value={done}
            total={total}
            onStop={run.stop}
          />
        ) : (
          <div className="form-actions">
            <Button kind="main" icon="archive" text={t('export.start')} onPress={() => submit()} />
          </div>
        )}
      </form>
    </section>
  );
}

interface PassphraseFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  isNew?: boolean;
}

export function PassphraseField({ label, value, onChange, isNew = false }: PassphraseFieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="password"
        autoComplete={isNew ? 'new-password' : 'off'}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}
