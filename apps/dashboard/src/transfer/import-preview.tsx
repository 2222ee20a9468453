import { Icon } from '../parts/icon.tsx';
import type { Failure } from '../parts/result-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { harmless } from '../ui/harmless-text.ts';

export interface Preview {
  /** The format, or for a bundle its account and day */
  kind: string;
  total: number;
  /** Memories by the namespace that they would go to */
  namespaces: ReadonlyMap<string, number>;
  /** The first texts; none of a bundle */
  samples: readonly string[];
  /** Entries that no relayer would accept */
  refused: readonly Failure[];
}

const shownRefusals = 20;
const shownNamespaces = 12;

/** What an import would store. */
export function ImportPreview({ preview }: { preview: Preview }) {
  const { t, counted, number } = useTexts();
  const { kind, total, namespaces, samples, refused } = preview;
  const names = [...namespaces].toSorted(([, a], [, b]) => b - a);
  return (
    <div className="import-preview">
      <p className="result-title" role="status">
        <Icon name="archive" /> {counted('import.would', total)}
      </p>
      <p className="hint">{kind}</p>
      <ul className="import-places" aria-label={t('overview.namespaces')}>
        {names.slice(0, shownNamespaces).map(([name, count]) => (
          <li key={name}>
            <span className="namespace">{harmless(name, 60)}</span> {number(count)}
          </li>
        ))}
        {names.length > shownNamespaces ? (
          <li className="hint">{t('import.more', { count: number(names.length - shownNamespaces) })}</li>
        ) : null}
      </ul>
      {samples.length === 0 ? null : (
        <ul className="samples" aria-label={t('import.samples')}>
          {samples.map((text, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <li key={i}>{harmless(text, 160)}</li>
          ))}
          {total > samples.length ? (
            <li className="hint">{t('import.more', { count: number(total - samples.length) })}</li>
          ) : null}
        </ul>
      )}
      {refused.length === 0 ? null : (
        <>
          <p>{counted('import.refused', refused.length)}</p>
          <ul className="failures">
            {refused.slice(0, shownRefusals).map(({ name, reason }) => (
              <li key={name}>
                <strong>{harmless(name, 60)}</strong> {harmless(reason, 200)}
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="hint">{t('import.nothing-yet')}</p>
    </div>
  );
}
