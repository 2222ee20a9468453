import type { Logger } from 'pino';
import { startPeriodicTask } from '../base/concurrency/task-loop.ts';
import type { Metrics } from '../base/metrics/metrics.ts';
import type { Config } from '../config/config.ts';
import { announceExpiring, type ExpiringParts } from '../webhooks/announce-expiring.ts';
import type { WebhookParts } from '../webhooks/manage-webhooks.ts';
import { setListening } from '../webhooks/rows/webhook-rows.ts';
import { createTargetSeal } from '../webhooks/sealed-target.ts';
import { startDeliveries } from '../webhooks/start-deliveries.ts';

export interface WebhookOptions extends Omit<WebhookParts, 'seal' | 'allowPrivate'>, ExpiringParts {
  config: Pick<Config, 'webhooks' | 'network' | 'secrets'>;
  metrics: Pick<Metrics, 'count'>;
  log: Logger;
}

const announcing = {
  name: 'announce expiring memories',
  everyMs: 10 * 60_000,
  againAfterFailureMs: 60_000,
  pollMs: 30_000,
};

/** Starts the deliveries of webhooks. With MEM_WEBHOOKS=off, `parts` is undefined and no events are recorded. */
export async function startWebhooks(options: WebhookOptions): Promise<{
  parts: WebhookParts | undefined;
  close(): Promise<void>;
}> {
  const { config, db, audit, accounts, tagOf, storageTime, metrics, log } = options;
  await setListening(db, config.webhooks);
  if (!config.webhooks) return { parts: undefined, close: async () => undefined };
  const parts: WebhookParts = {
    db,
    audit,
    accounts,
    tagOf,
    seal: createTargetSeal(config.secrets.indexKey),
    allowPrivate: config.network === 'localnet',
  };
  const deliveries = startDeliveries({ ...parts, metrics, log });
  const announcements = await startPeriodicTask(
    db,
    announcing,
    () => announceExpiring({ db, storageTime }),
    (err) => log.warn({ err }, 'expiring memories cannot be announced; will retry'),
  );
  return {
    parts,
    async close() {
      await Promise.all([deliveries.stop(), announcements.stop()]);
    },
  };
}
