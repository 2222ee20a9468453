import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { ForgetProvider } from '../memories/forget-context.tsx';
import { MemoriesPage } from '../memories/memories-page.tsx';
import { OverviewPage } from '../overview/overview-page.tsx';
import { BusyNote } from '../parts/busy-note.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { usePlace } from '../parts/location.ts';
import { PageLink } from '../parts/page-link.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useTexts } from '../parts/texts-context.tsx';
import { reopenSession } from '../session/open-session.ts';
import { SessionContext } from '../session/session-context.ts';
import type { TextKey } from '../texts/en.ts';
import type { WalletState } from '../wallet/wallet-api.ts';
import { FirstVisit } from './first-visit.tsx';
import { Frame } from './frame.tsx';
import { PairPage } from './pair-page.tsx';
import { useWallet } from './use-wallet.ts';

// Loaded when they are opened: the first script stays small
const AccessPage = lazy(async () => ({
  default: (await import('../access/access-page.tsx')).AccessPage,
}));

const KeysPage = lazy(async () => ({ default: (await import('../keys/keys-page.tsx')).KeysPage }));

const ConnectPage = lazy(async () => ({
  default: (await import('../connect/connect-page.tsx')).ConnectPage,
}));

const AskPage = lazy(async () => ({
  default: (await import('../ask/ask-page.tsx')).AskPage,
}));

const FactsPage = lazy(async () => ({
  default: (await import('../facts/facts-page.tsx')).FactsPage,
}));

const TransferPage = lazy(async () => {
  // Before the modules with schemas
  await import('../transfer/no-eval.ts');
  return { default: (await import('../transfer/transfer-page.tsx')).TransferPage };
});

const titles: Readonly<Record<string, TextKey>> = {
  '/': 'overview.title',
  '/memories': 'memories.title',
  '/memories/ask': 'ask.title',
  '/memories/facts': 'facts.title',
  '/memories/transfer': 'transfer.title',
  '/keys': 'keys.title',
  '/access': 'access.account.title',
  '/connect': 'connect.title',
};

export function App() {
  const { t } = useTexts();
  const { path } = usePlace();
  const { data: state, error, refused, refetch } = useWallet();
  useEffect(() => {
    document.title = `${t(titles[path] ?? 'missing.title')} · ${t('app.name')}`;
  }, [path, t]);
  if (titles[path] === undefined)
    return (
      <Frame relayerUrl={undefined}>
        <Missing />
      </Frame>
    );
  if (state === null) return <PairPage refused={refused} onPaired={() => void refetch()} />;
  return (
    <Frame relayerUrl={state?.relayerUrl}>
      {state ? (
        <Paired state={state} path={path} />
      ) : error ? (
        <>
          <h1>{t('wallet.unavailable')}</h1>
          <ProblemNote error={error} onRetry={() => void refetch()} />
        </>
      ) : (
        <BusyNote text={t('wallet.reading')} />
      )}
    </Frame>
  );
}

function Paired({ state, path }: { state: WalletState; path: string }) {
  const { t } = useTexts();
  const queries = useQueryClient();
  const keys = state.account?.delegates.map(({ publicKey }) => publicKey).join();
  const session = useQuery({
    queryKey: ['session', state.account?.id, keys],
    queryFn: async () => (await reopenSession(state)) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (path === '/keys')
    return (
      <Suspense fallback={<BusyNote text={t('app.loading')} />}>
        <KeysPage state={state} session={session.data ?? undefined} />
      </Suspense>
    );
  if (state.account && !state.account.active) return <Frozen />;
  if (session.error) return <ProblemNote error={session.error} onRetry={() => void session.refetch()} />;
  if (session.data === undefined) return <BusyNote text={t('open.checking')} />;
  if (session.data === null)
    return (
      <FirstVisit state={state} onOpened={() => void queries.invalidateQueries({ queryKey: ['wallet'] })} />
    );
  return (
    <SessionContext value={{ ...session.data, state }}>
      <ForgetProvider>
        <Suspense fallback={<BusyNote text={t('app.loading')} />}>
          <OpenPage path={path} />
        </Suspense>
      </ForgetProvider>
    </SessionContext>
  );
}

function OpenPage({ path }: { path: string }) {
  if (path === '/access') return <AccessPage />;
  if (path === '/connect') return <ConnectPage />;
  if (path === '/memories/ask') return <AskPage />;
  if (path === '/memories/facts') return <FactsPage />;
  if (path === '/memories/transfer') return <TransferPage />;
  return path === '/' ? <OverviewPage /> : <MemoriesPage />;
}

function Frozen() {
  const { t } = useTexts();
  return (
    <EmptyState icon="lock" title={t('account.frozen.title')} about={t('account.freeze.frozen')}>
      <PageLink to="/keys" className="button main">
        {t('account.unfreeze.button')}
      </PageLink>
    </EmptyState>
  );
}

function Missing() {
  const { t } = useTexts();
  return (
    <EmptyState icon="search" title={t('missing.title')} about={t('missing.about')}>
      <PageLink to="/" className="button main">
        {t('missing.home')}
      </PageLink>
    </EmptyState>
  );
}
