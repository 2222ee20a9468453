import type { ReadyInfo } from '@memrelay/protocol/service-info';
import { useQuery } from '@tanstack/react-query';
import { Icon } from '../parts/icon.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { useObserved } from '../session/observed.ts';
import { useSession } from '../session/session-context.ts';
import { en, type TextKey } from '../texts/en.ts';
import { harmless } from '../ui/harmless-text.ts';

const refreshMs = 10_000;

/** The state of the relayer and of everything that it needs. */
export function HealthPanel() {
  const { t, number } = useTexts();
  const { client, state } = useSession();
  const ready = useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => readReady(state.relayerUrl, signal),
    refetchInterval: refreshMs,
  });
  const service = useQuery({
    queryKey: ['service'],
    queryFn: async ({ signal }) => {
      const [health, config] = await Promise.all([client.health({ signal }), client.config({ signal })]);
      return { health, config };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const error = ready.error ?? service.error;
  const retry = (): void => {
    for (const query of [ready, service]) if (query.error) void query.refetch();
  };
  const name = (check: string): string => {
    const key = `overview.health.${check}`;
    return key in en ? t(key as TextKey) : harmless(check, 40);
  };
  const { config, health } = service.data ?? {};
  return (
    <section className="panel">
      <h2>{t('overview.health.title')}</h2>
      {error ? <ProblemNote error={error} onRetry={retry} /> : null}
      <ul className="health">
        {ready.data ? (
          <Component
            name={health ? t('overview.health.relayer', { version: health.version }) : t('overview.relayer')}
            isOk={ready.data.ready}
            detail={ready.data.accepts_writes ? undefined : t('overview.health.no-writes')}
          />
        ) : null}
        {Object.entries(ready.data?.checks ?? {}).map(([check, { ok, detail }]) => (
          <Component key={check} name={name(check)} isOk={ok} detail={detail && harmless(detail, 80)} />
        ))}
        {config ? (
          <Component
            name={t('overview.health.key-servers')}
            isOk={undefined}
            detail={t('overview.health.threshold', {
              count: number(config.encServerConfigs.length),
              threshold: number(config.encThreshold),
            })}
          />
        ) : null}
      </ul>
      <Limits />
    </section>
  );
}

/** `isOk` is undefined for what the relayer does not check. */
function Component({
  name,
  isOk,
  detail,
}: {
  name: string;
  isOk: boolean | undefined;
  detail: string | undefined;
}) {
  const { t } = useTexts();
  const state = isOk === undefined ? 'unknown' : isOk ? 'ok' : 'down';
  return (
    <li className={`component ${state}`}>
      <Icon name={isOk === false ? 'problem' : isOk ? 'check' : 'key'} size={16} />
      <span className="component-name">{name}</span>
      {detail === undefined ? null : <span className="hint">{detail}</span>}
      {isOk === undefined ? null : (
        <span className="component-state">{t(isOk ? 'overview.health.ok' : 'overview.health.down')}</span>
      )}
    </li>
  );
}

/** What is left of the limits of requests. */
function Limits() {
  const { t, number } = useTexts();
  const { limits } = useObserved();
  const name = (limit: string): string => {
    const key = `overview.limit.${limit}`;
    return key in en ? t(key as TextKey) : harmless(limit, 40);
  };
  return (
    <>
      <h3>{t('overview.limits.title')}</h3>
      {limits.length === 0 ? (
        <p className="hint">{t('overview.limits.none')}</p>
      ) : (
        <ul className="limits">
          {limits.map(({ name: limit, units, left }) => (
            <li key={limit}>
              <span>{name(limit)}</span>
              <span className="figure">
                {t('overview.limits.left', { left: number(left), units: number(units) })}
              </span>
              <span className="bar" aria-hidden="true">
                <span className="bar-value" style={{ width: `${(left / units) * 100}%` }} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** `/ready` answers 503 when something is down, with the same body. */
async function readReady(relayerUrl: string, signal: AbortSignal): Promise<ReadyInfo> {
  const response = await fetch(new URL('/ready', relayerUrl), { signal });
  return (await response.json()) as ReadyInfo;
}
