import type { Metrics } from '../../base/metrics/metrics.ts';
import { countWaiting } from '../../jobs/rows/claim-jobs.ts';
import { walletUploads } from '../../jobs/rows/wallet-rows.ts';
import { deliveryBacklog } from '../../webhooks/rows/delivery-rows.ts';
import { createReadiness, type ReadinessParts } from '../readiness.ts';

/** Jobs are counted up to this number. */
const countedJobs = 1_000_000;
/** One of the relayers checks the wallets every five minutes; those that were not checked for an hour are no longer ours. */
const walletMs = 3_600_000;

/** Registers the metrics that are read for each scrape: the queue and the dependencies. */
export function registerServerMetrics(metrics: Metrics, parts: ReadinessParts): void {
  const readiness = createReadiness(parts);
  metrics.read('memrelay_jobs_waiting', async () => [
    { labels: {}, value: await countWaiting(parts.db, countedJobs) },
  ]);
  metrics.read('memrelay_oldest_job_age_seconds', async () => [
    { labels: {}, value: (await readiness()).oldest_pending_job_seconds },
  ]);
  metrics.read('memrelay_webhook_deliveries_waiting', async () => [
    { labels: {}, value: (await deliveryBacklog(parts.db)).waiting },
  ]);
  metrics.read('memrelay_oldest_webhook_delivery_age_seconds', async () => [
    { labels: {}, value: (await deliveryBacklog(parts.db)).oldestSeconds },
  ]);
  metrics.read('memrelay_wallet_uploads', async () => {
    const wallets = await walletUploads(parts.db, new Date(Date.now() - walletMs));
    return wallets.map(({ purpose, uploads }, i) => ({
      labels: { wallet: String(i + 1), purpose },
      value: uploads,
    }));
  });
  metrics.read('memrelay_dependency_up', async () =>
    Object.entries((await readiness()).checks).map(([dependency, { ok }]) => ({
      labels: { dependency },
      value: ok ? 1 : 0,
    })),
  );
}
