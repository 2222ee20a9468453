import { coinAmount } from '@memrelay/chain/coin-amount';
import type { Stats } from '@memrelay/sdk/types';
import { useTexts } from '../parts/texts-context.tsx';
import { BarChart } from './bar-chart.tsx';

/** With more bars, the numbers above them would overlap. */
const notedEnds = 6;

/** When stored memories expire, and what keeping all of them costs. */
export function ExpiryPanel({ stats: { expiry, forecast } }: { stats: Stats }) {
  const { t, counted, number, amount, date } = useTexts();
  return (
    <section className="panel">
      <h2>{t('overview.ends.title')}</h2>
      {expiry && expiry.ends.length > 0 ? (
        <>
          <BarChart
            description={t('overview.ends.chart', {
              epochs: number(expiry.ends.length),
              first: number(expiry.ends[0]!.epoch),
              last: number(expiry.ends.at(-1)!.epoch),
            })}
            bars={timeline(expiry).map(({ epoch, count }) => ({
              key: epoch,
              value: count,
              label: number(epoch),
              ...(count > 0 && expiry.ends.length <= notedEnds ? { note: number(count) } : {}),
              title: t('overview.ends.bar', {
                epoch: number(epoch),
                count: counted('memories.count', count),
                date: date(timeOf(expiry, epoch)),
              }),
              isMarked: epoch === expiry.firstEpoch,
            }))}
          />
          <p className="hint">
            {t('overview.ends.now', {
              epoch: number(expiry.epoch),
              date: date(timeOf(expiry, expiry.ends[0]!.epoch)),
            })}{' '}
            {t(expiry.renewed ? 'overview.ends.renewed' : 'overview.ends.not-renewed')}
          </p>
        </>
      ) : (
        <p className="hint">{t(expiry ? 'overview.ends.none' : 'overview.ends.unknown')}</p>
      )}
      {forecast ? (
        <>
          <h3>{t('overview.cost.title')}</h3>
          <dl className="facts">
            <div>
              <dt>{t('overview.cost.quilted', { count: number(forecast.perQuilt) })}</dt>
              <dd title={coinAmount(BigInt(forecast.quiltedFrost))}>
                {t('overview.cost.wal', { amount: amount(Number(forecast.quiltedFrost) / 1e9) })}
              </dd>
            </div>
            <div>
              <dt>{t('overview.cost.alone')}</dt>
              <dd title={coinAmount(BigInt(forecast.aloneFrost))}>
                {t('overview.cost.wal', { amount: amount(Number(forecast.aloneFrost) / 1e9) })}
              </dd>
            </div>
          </dl>
          <p className="hint">
            {t('overview.cost.about', {
              count: amount(forecast.renewalsPerYear),
              epochs: number(forecast.epochs),
            })}
          </p>
        </>
      ) : null}
    </section>
  );
}

type Expiry = NonNullable<Stats['expiry']>;

/** About when an epoch begins: the start of the current one is not known. Unix time in ms */
function timeOf({ epoch: now, epochMs }: Expiry, epoch: number): number {
  return Date.now() + (epoch - now) * epochMs;
}

/** Every epoch from the next one to the last in which something expires. */
function timeline({ epoch: now, ends }: Expiry): { epoch: number; count: number }[] {
  const counts = new Map(ends.map(({ epoch, count }) => [epoch, count]));
  const length = (ends.at(-1)?.epoch ?? now) - now;
  return Array.from({ length }, (_, index) => {
    const epoch = now + 1 + index;
    return { epoch, count: counts.get(epoch) ?? 0 };
  });
}
