import type { NamespaceEntry } from '@memrelay/sdk/types';
import { PageLink } from '../parts/page-link.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { harmless } from '../ui/harmless-text.ts';

const maxShown = 8;

/** Storage by namespace, the largest first. */
export function NamespaceBars({ namespaces }: { namespaces: readonly NamespaceEntry[] }) {
  const { t, counted, bytes, ago } = useTexts();
  const largest = namespaces.toSorted((a, b) => b.storageBytes - a.storageBytes).slice(0, maxShown);
  const most = largest[0]?.storageBytes ?? 1;
  return (
    <section className="panel">
      <h2>{t('overview.by-namespace')}</h2>
      <ul className="namespace-bars">
        {largest.map(({ namespace, memoryCount, storageBytes, newest }) => (
          <li key={namespace}>
            <PageLink to={`/memories?namespace=${encodeURIComponent(namespace)}`} className="namespace-link">
              {harmless(namespace, 60)}
            </PageLink>
            <span className="figure">{bytes(storageBytes)}</span>
            <span className="bar" aria-hidden="true">
              <span className="bar-value" style={{ width: `${(storageBytes / most) * 100}%` }} />
            </span>
            <span className="hint">
              {counted('memories.count', memoryCount)}, {t('overview.newest', { time: ago(newest) })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
