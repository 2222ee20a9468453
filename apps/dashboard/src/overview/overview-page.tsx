import { useStats } from '../memories/memory-queries.ts';
import { PageHead } from '../parts/page-head.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';
import { AccountFacts } from './account-facts.tsx';
import { ExpiryPanel } from './expiry-panel.tsx';
import { HealthPanel } from './health-panel.tsx';
import { JobPanel } from './job-panel.tsx';
import { LatencyPanel } from './latency-panel.tsx';
import { NamespaceBars } from './namespace-bars.tsx';

export function OverviewPage() {
  const { t, number, bytes } = useTexts();
  const { state } = useSession();
  const { data: stats, error, refetch } = useStats();
  const figures = [
    [t('overview.memories'), stats && number(stats.memoryCount), '/memories'],
    [t('overview.storage'), stats && bytes(stats.storageBytes), undefined],
    [t('overview.namespaces'), stats && number(stats.namespaces.length), undefined],
    [t('overview.keys'), number(state.account?.delegates.length ?? 1), '/keys'],
  ] as const;
  const largest = stats?.namespaces.toSorted((a, b) => b.memoryCount - a.memoryCount)[0];
  return (
    <>
      <PageHead title={t('overview.title')} about={t('overview.about')} />
      {error ? <ProblemNote error={error} onRetry={() => void refetch()} /> : null}
      <dl className="figures">
        {figures.map(([name, value, to]) => (
          <div key={name} className="figure-card">
            <dt>
              {to === undefined ? (
                name
              ) : (
                <PageLink to={to} className="figure-link">
                  {name}
                </PageLink>
              )}
            </dt>
            <dd>{value ?? <span className="skeleton" />}</dd>
          </div>
        ))}
      </dl>
      {stats?.memoryCount === 0 ? (
        <section className="panel first">
          <h2>{t('overview.first.title')}</h2>
          <p>{t('overview.first.about')}</p>
          <PageLink to="/memories" className="button main">
            {t('action.add')}
          </PageLink>
          <PageLink to="/connect" className="button quiet">
            {t('connect.title')}
          </PageLink>
        </section>
      ) : null}
      <div className="columns">
        <div className="column">
          {stats && stats.memoryCount > 0 ? <NamespaceBars namespaces={stats.namespaces} /> : null}
          {stats ? <JobPanel stats={stats} /> : null}
          <HealthPanel />
        </div>
        <div className="column">
          {stats && stats.memoryCount > 0 ? <ExpiryPanel stats={stats} /> : null}
          {largest ? <LatencyPanel namespace={largest.namespace} /> : null}
          <AccountFacts stats={stats} />
        </div>
      </div>
    </>
  );
}
