import type { Stats } from '@memrelay/sdk/types';
import { ShortId } from '../parts/short-id.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';

/** Whose memories these are, and how their storage is doing. */
export function AccountFacts({ stats }: { stats: Stats | undefined }) {
  const { t, counted, number } = useTexts();
  const { state, accountId } = useSession();
  return (
    <section className="panel">
      <h2>{t('overview.account')}</h2>
      <dl className="facts">
        <Fact name={t('overview.wallet')} value={<ShortId id={state.address} />} />
        <Fact name={t('overview.account-id')} value={<ShortId id={accountId} />} />
        <Fact name={t('overview.relayer')} value={new URL(state.relayerUrl).host} />
        {stats ? (
          <>
            <Fact
              name={t('overview.jobs')}
              value={stats.jobs.running === 0 ? t('overview.jobs.none') : number(stats.jobs.running)}
            />
            {stats.expiry ? (
              <>
                <Fact name={t('overview.epoch')} value={number(stats.expiry.epoch)} />
                <Fact name={t('overview.expiry')} value={expiryText(stats.expiry, t, counted)} />
              </>
            ) : null}
            {stats.lost ? (
              <Fact
                name={t('overview.lost')}
                value={number((stats.lost.expired ?? 0) + (stats.lost.missing ?? 0))}
              />
            ) : null}
          </>
        ) : null}
      </dl>
    </section>
  );
}

type ShownTexts = ReturnType<typeof useTexts>;

function expiryText(
  { soonCount, firstEpoch, renewed }: NonNullable<Stats['expiry']>,
  t: ShownTexts['t'],
  counted: ShownTexts['counted'],
): string {
  if (soonCount === 0) return t('overview.expiry.none');
  const count = counted('memories.count', soonCount);
  return renewed || firstEpoch === undefined
    ? t('overview.expiry.renewed', { count })
    : t('overview.expiry.first', { count, epoch: firstEpoch });
}

function Fact({ name, value }: { name: string; value: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
