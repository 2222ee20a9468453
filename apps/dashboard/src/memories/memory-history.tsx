import type { SingleMemory } from '@memrelay/sdk/single-memory';
import { setParameters } from '../parts/location.ts';
import { useTexts } from '../parts/texts-context.tsx';
import { harmless } from '../ui/harmless-text.ts';

/** Earlier and later versions, the newest first. Nothing if there is only this one. */
export function MemoryHistory({ memory }: { memory: SingleMemory }) {
  const { t, dateTime } = useTexts();
  const { earlier, later } = memory.history;
  if (earlier.length + later.length === 0) return null;
  const versions = [
    ...later.toReversed().map((version) => ({ ...version, kind: 'later' as const })),
    { ...memory, kind: 'current' as const },
    ...earlier.map((version) => ({ ...version, kind: 'earlier' as const })),
  ];
  return (
    <section>
      <h3>{t('detail.history')}</h3>
      <ol className="history">
        {versions.map(({ id, kind, createdAt, text }) => (
          <li key={id} className={kind}>
            <p className="hint">
              {t(`detail.${kind}`)}, <time dateTime={createdAt}>{dateTime(createdAt)}</time>
            </p>
            {kind === 'current' ? (
              <p>{harmless(text ?? '', 200)}</p>
            ) : (
              <button type="button" className="link" onClick={() => setParameters({ memory: id })}>
                {text === undefined ? t('memories.unreadable') : harmless(text, 200)}
              </button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
