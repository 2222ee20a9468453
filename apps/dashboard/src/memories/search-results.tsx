import type { RecallHit } from '@memrelay/sdk/types';
import { Button } from 'react-aria-components/Button';
import { Disclosure, DisclosurePanel } from 'react-aria-components/Disclosure';
import { EmptyState } from '../parts/empty-state.tsx';
import { Icon } from '../parts/icon.tsx';
import { setParameters } from '../parts/location.ts';
import { useTexts } from '../parts/texts-context.tsx';
import { harmless } from '../ui/harmless-text.ts';
import { HitScores } from './hit-scores.tsx';
import type { Found, FoundMemory } from './memory-queries.ts';

const shownCharacters = 600;

export function SearchResults({ found, hidden }: { found: Found; hidden: ReadonlySet<string> }) {
  const { t, counted } = useTexts();
  const hits = found.hits.filter(({ id }) => !hidden.has(id));
  return (
    <section aria-label={t('search.title')}>
      <h2 className="result-count">
        <span role="status">
          {counted('search.count', hits.length)}
          {found.droppedCount > 0 ? ` ${counted('search.dropped', found.droppedCount)}` : ''}
        </span>
      </h2>
      {hits.length === 0 ? (
        <EmptyState icon="search" title={t('search.none.title')} about={t('search.none.about')} />
      ) : (
        <ol className="hits">
          {hits.map((hit) => (
            <Hit key={hit.id} hit={hit} isLexical={found.isLexical} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Hit({ hit, isLexical }: { hit: FoundMemory; isLexical: boolean }) {
  const { t, ago, dateTime } = useTexts();
  const matchedBy = hit.explain?.matchedBy;
  return (
    <li className="hit">
      <button type="button" className="hit-open" onClick={() => setParameters({ memory: hit.id })}>
        {harmless(hit.text, shownCharacters)}
      </button>
      <p className="row-facts">
        <span className="namespace">{harmless(hit.namespace, 40)}</span>
        {hit.createdAt === undefined ? null : (
          <time dateTime={hit.createdAt} title={dateTime(hit.createdAt)}>
            {ago(hit.createdAt)}
          </time>
        )}
        {matchedBy === undefined ? null : <span>{t(`search.by.${matchedBy}`)}</span>}
      </p>
      <Disclosure className="why">
        <Button slot="trigger" className="button plain small-button why-button">
          <Icon name="chevron" size={16} />
          {t('search.why')}
        </Button>
        <DisclosurePanel className="why-panel">
          {hit.explain ? <HitScores explanation={hit.explain} isLexical={isLexical} /> : null}
          <Neighbours context={hit.context} />
        </DisclosurePanel>
      </Disclosure>
    </li>
  );
}

function Neighbours({ context }: { context: RecallHit['context'] | undefined }) {
  const { t } = useTexts();
  const all = [
    ...(context?.before ?? []).map((memory) => ({ ...memory, where: t('search.before') })),
    ...(context?.after ?? []).map((memory) => ({ ...memory, where: t('search.after') })),
  ];
  if (all.length === 0) return null;
  return (
    <>
      <h3>{t('search.neighbours')}</h3>
      <ul className="neighbours">
        {all.map(({ id, text, where }) => (
          <li key={id}>
            <span className="hint">{where}</span> {harmless(text, 200)}
          </li>
        ))}
      </ul>
    </>
  );
}
