import { useMutation } from '@tanstack/react-query';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useObserved } from '../session/observed.ts';
import { useSession } from '../session/session-context.ts';
import { BarChart } from './bar-chart.tsx';

/** How long recalls of this page took, and where the time went in the relayer. */
export function LatencyPanel({ namespace }: { namespace: string | undefined }) {
  const { t, counted, number } = useTexts();
  const { client } = useSession();
  const { recalls } = useObserved();
  const measure = useMutation({
    // Any question does: what is measured does not depend on what is found
    mutationFn: () =>
      client.recall('memrelay', { limit: 5, ...(namespace === undefined ? {} : { namespace }) }),
  });
  const latest = recalls.at(-1);
  const round = (ms: number): string => t('overview.latency.ms', { ms: number(Math.round(ms)) });
  const times = recalls.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  return (
    <section className="panel">
      <div className="panel-head">
        <h2>{t('overview.latency.title')}</h2>
        <Button
          small
          icon="retry"
          text={t('overview.latency.measure')}
          isBusy={measure.isPending}
          onPress={() => measure.mutate()}
        />
      </div>
      {measure.isError ? <ProblemNote error={measure.error} /> : null}
      {latest ? (
        <>
          <p className="big-figure">
            {round(median)} <span className="hint">{counted('overview.latency.median', recalls.length)}</span>
          </p>
          <BarChart
            description={t('overview.latency.chart', { median: round(median), latest: round(latest.ms) })}
            bars={recalls.map(({ ms }, index) => ({
              key: index,
              value: ms,
              label: '',
              title: round(ms),
              isMarked: index === recalls.length - 1,
            }))}
          />
          <Stages stages={latest.stages} round={round} />
        </>
      ) : (
        <p className="hint">{t('overview.latency.none')}</p>
      )}
    </section>
  );
}

/** The longest first */
const shownStages = 4;

function Stages({
  stages,
  round,
}: {
  stages: readonly (readonly [string, number])[];
  round: (ms: number) => string;
}) {
  const { t } = useTexts();
  const longest = stages
    .filter(([name]) => name !== 'total')
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, shownStages);
  if (longest.length === 0) return null;
  return (
    <>
      <h3>{t('overview.latency.stages')}</h3>
      <p className="row-facts">
        {longest.map(([name, ms]) => (
          <span key={name}>
            <code>{name}</code> {round(ms)}
          </span>
        ))}
      </p>
    </>
  );
}
