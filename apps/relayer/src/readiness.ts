import type { ReadyInfo } from '@memrelay/protocol/service-info';
import { payingWallets } from './alerts/wallet-watch.ts';
import type { RelayerContext } from './context.ts';
import { oldestPendingSeconds } from './jobs/read-jobs.ts';

type Check = ReadyInfo['checks'][string];

async function probe(work: () => Promise<Check | undefined>): Promise<Check> {
  try {
    return (await work()) ?? { ok: true };
  } catch (error) {
    // The class, not the message: a connection string may stand in one
    return { ok: false, detail: (error as Error).name };
  }
}

/** Nothing where a publisher pays, and until the wallets were first looked at. */
async function wallets({ db, uploadWallets }: RelayerContext): Promise<{ upload_wallets?: Check }> {
  const funds = uploadWallets.length > 0 ? await payingWallets(db, uploadWallets) : undefined;
  if (!funds) return {};
  return {
    upload_wallets: { ok: funds.paying > 0, detail: `${funds.paying} of ${funds.of} can pay for an upload` },
  };
}

/**
 * What every dependency says right now. Writes need the database, nonces and chain; uploads can wait. Wallets that
 * cannot pay are told of and change nothing else: recalls go on, and what is written is accepted and kept.
 */
export async function readiness(context: RelayerContext): Promise<ReadyInfo> {
  const [database, sidecar, store, oldest, funds] = await Promise.all([
    probe(async () => {
      await context.db.query('SELECT 1');
      return undefined;
    }),
    probe(async () => {
      await context.sidecar.health(2_000);
      return undefined;
    }),
    probe(() => context.aggregators.health()),
    oldestPendingSeconds(context.db).catch(() => 0),
    wallets(context).catch(() => ({})),
  ]);
  const nonces = context.nonces.health();
  const chain = context.accounts.health();
  const checks = { database, nonces, chain, sidecar, blob_store: store };
  return {
    ready: Object.values(checks).every((check) => check.ok),
    accepts_writes: database.ok && nonces.ok && chain.ok && sidecar.ok,
    checks: { ...checks, ...funds },
    oldest_pending_job_seconds: oldest,
  };
}
