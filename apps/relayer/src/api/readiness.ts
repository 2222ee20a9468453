import type { ReadyInfo } from '@memrelay/protocol/service-info';
import type { AccountDirectory } from '../accounts/account-directory.ts';
import type { Db } from '../base/db/db.ts';
import { pingDatabase } from '../base/db/ping.ts';
import { inTime } from '../base/redis/in-time.ts';
import type { AggregatorReader } from '../blobs/aggregator-reads.ts';
import type { Pipeline } from '../jobs/pipeline.ts';
import { oldestPendingSeconds } from '../jobs/rows/read-jobs.ts';
import { payingWallets } from '../jobs/rows/wallet-rows.ts';
import type { SidecarClient } from '../sidecar/sidecar-client.ts';
import type { NonceStore } from './nonces/nonce-store.ts';

type Check = ReadyInfo['checks'][string];

/** The dependencies whose state `/ready` reports. */
export interface ReadinessParts {
  db: Db;
  sidecar: SidecarClient;
  aggregators: AggregatorReader;
  nonces: NonceStore;
  accounts: AccountDirectory;
  uploadWallets: readonly string[];
  pipeline: Pick<Pipeline, 'stopping'>;
}

/** A dependency that takes longer counts as down, so that the probe does not wait for a hanging query. */
const probeMs = 3_000;
/** How long a response is reused */
const freshMs = 1_000;

async function probe(work: () => Promise<Check | undefined>): Promise<Check> {
  try {
    return (await inTime(work(), probeMs)) ?? { ok: true };
  } catch (error) {
    // The class, not the message, which may contain a connection string
    return { ok: false, detail: (error as Error).name };
  }
}

/** Empty when a publisher pays, and until the first check of the wallets. */
async function wallets({ db, uploadWallets }: ReadinessParts): Promise<{ upload_wallets?: Check }> {
  const funds = uploadWallets.length > 0 ? await payingWallets(db, uploadWallets) : undefined;
  if (!funds) return {};
  return {
    upload_wallets: { ok: funds.paying > 0, detail: `${funds.paying} of ${funds.of} can pay for an upload` },
  };
}

/**
 * The aggregators do not affect readiness, so the response waits at most this long for them. One probe runs at a time.
 */
const storeProbeMs = 500;

function createStoreProbe({ aggregators }: ReadinessParts): () => Promise<Check> {
  let underWay: Promise<Check> | undefined;
  return () => {
    underWay ??= probe(() => aggregators.health()).finally(() => {
      underWay = undefined;
    });
    return inTime(underWay, storeProbeMs).catch(() => ({ ok: false, detail: 'slow' }));
  };
}

async function compute(parts: ReadinessParts, probeStore: () => Promise<Check>): Promise<ReadyInfo> {
  const [database, sidecar, store, oldest, funds] = await Promise.all([
    probe(async () => {
      await pingDatabase(parts.db);
      return undefined;
    }),
    probe(async () => {
      await parts.sidecar.health(2_000);
      return undefined;
    }),
    probeStore(),
    inTime(oldestPendingSeconds(parts.db), probeMs).catch(() => 0),
    inTime(wallets(parts), probeMs).catch(() => ({})),
  ]);
  const nonces = parts.nonces.health();
  const chain = parts.accounts.health();
  const ready = database.ok && nonces.ok && sidecar.ok && !parts.pipeline.stopping;
  return {
    ready,
    accepts_writes: ready && chain.ok,
    checks: { database, nonces, chain, sidecar, blob_store: store, ...funds },
    oldest_pending_job_seconds: oldest,
  };
}

/**
 * Returns the state of this instance and its dependencies, computed at most once a second.
 *
 * `ready` covers only what is specific to this instance: database, nonces, sidecar, and not stopping. All instances
 * share the node, aggregator, publisher and wallets, so their state is reported but takes no instance out of service:
 * uploads wait, and reads that need them return an error. Writes also need the node.
 */
export function createReadiness(
  parts: ReadinessParts,
  now = () => performance.now(),
): () => Promise<ReadyInfo> {
  const probeStore = createStoreProbe(parts);
  let latest: { begunAtMs: number; answer: Promise<ReadyInfo>; underWay: boolean } | undefined;
  return () => {
    if (latest && (latest.underWay || now() - latest.begunAtMs < freshMs)) return latest.answer;
    const current = { begunAtMs: now(), answer: compute(parts, probeStore), underWay: true };
    latest = current;
    void current.answer.finally(() => {
      current.underWay = false;
    });
    return current.answer;
  };
}
