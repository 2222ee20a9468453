import type { Stats } from '@memrelay/sdk/types';
import { ShortId } from '../parts/short-id.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useSession } from '../session/session-context.ts';

/** Whose memories these are. */
export function AccountFacts({ stats }: { stats: Stats | undefined }) {
  const { t, number } = useTexts();
  const { state, accountId } = useSession();
  return (
    <section className="panel">
      <h2>{t('overview.account')}</h2>
      <dl className="facts">
        <Fact name={t('overview.wallet')} value={<ShortId id={state.address} />} />
        <Fact name={t('overview.account-id')} value={<ShortId id={accountId} />} />
        <Fact name={t('overview.relayer')} value={new URL(state.relayerUrl).host} />
        {stats?.lost ? (
          <Fact
            name={t('overview.lost')}
            value={number((stats.lost.expired ?? 0) + (stats.lost.missing ?? 0))}
          />
        ) : null}
      </dl>
    </section>
  );
}

function Fact({ name, value }: { name: string; value: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
