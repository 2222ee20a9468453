import { backoffMs } from '@memrelay/protocol/backoff';
import type { Logger } from 'pino';
import { startTaskLoop } from '../base/concurrency/task-loop.ts';
import type { Db } from '../base/db/db.ts';
import { bytesToAddress } from '../base/db/hex.ts';
import type { Metrics } from '../base/metrics/metrics.ts';
import { payloadOf } from './payload.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  type FailedAttempt,
  releaseDelivery,
  saveDelivered,
  saveFailedAttempt,
  saveGivenUp,
} from './rows/delivery-rows.ts';
import { disableWebhook } from './rows/webhook-rows.ts';
import type { TargetSeal } from './sealed-target.ts';
import { type Sent, sendWebhook } from './send-webhook.ts';
import { type AccessParts, accessProblem } from './webhook-access.ts';

export interface DeliveryParts extends AccessParts {
  db: Db;
  seal: Pick<TargetSeal, 'open'>;
  /** See `SendOptions` */
  allowPrivate: boolean;
  metrics: Pick<Metrics, 'count'>;
  log: Logger;
  times?: Partial<DeliveryTimes>;
}

export interface DeliveryTimes {
  pollMs: number;
  /** For one request, from name resolution to the headers of the response */
  timeoutMs: number;
  leaseMs: number;
  firstRetryMs: number;
  /** A delivery is given up, and a webhook that fails all the time is disabled */
  giveUpAfterMs: number;
}

const usualTimes: DeliveryTimes = {
  pollMs: 1_000,
  timeoutMs: 15_000,
  leaseMs: 60_000,
  firstRetryMs: 5_000,
  giveUpAfterMs: 24 * 3_600_000,
};
/** From the first retry on, the delay doubles up to this: 12 attempts in the first 6 hours, then one every 2 to 4 hours */
const longestRetryMs = 4 * 3_600_000;
const longestRetryAfterMs = 3_600_000;
const longestPauseMs = 5 * 60_000;
const concurrency = 32;
const perWebhook = 4;

/** The receiver asks for no more deliveries (Standard Webhooks) */
const gone = 'status_410';

/**
 * Delivers events at least once, in no particular order: an attempt is repeated if its result could not be saved. Of several
 * relayers on one database, one attempts a delivery at a time.
 */
export function startDeliveries(parts: DeliveryParts): { stop(): Promise<void> } {
  const { db, seal, allowPrivate, metrics, log } = parts;
  const times = { ...usualTimes, ...parts.times };
  const stopping = new AbortController();
  const running = new Map<string, { webhookId: string; ended: Promise<void> }>();

  async function claimDue(): Promise<void> {
    const limit = concurrency - running.size;
    if (limit <= 0 || stopping.signal.aborted) return;
    const claimed = await claimDeliveries(db, {
      limit,
      perWebhook,
      busy: busyWebhooks(),
      leaseMs: times.leaseMs,
    });
    for (const delivery of claimed) {
      const ended = attempt(delivery)
        .catch((err: unknown) => log.warn({ err }, 'the result of a webhook delivery was not saved'))
        .finally(() => {
          running.delete(delivery.id);
          loop.wake();
        });
      running.set(delivery.id, { webhookId: delivery.webhook_id, ended });
    }
  }

  function busyWebhooks(): string[] {
    const counts = new Map<string, number>();
    for (const { webhookId } of running.values()) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
    return [...counts].flatMap(([id, count]) => (count >= perWebhook ? [id] : []));
  }

  async function attempt(delivery: ClaimedDelivery): Promise<void> {
    const { account_id, webhook_id, delegate_pk, namespace } = delivery;
    const problem = await accessProblem(parts, account_id, delegate_pk, namespace);
    if (problem === 'account_unavailable') return retry(delivery, { error: problem, pauseMs: undefined });
    if (problem === 'not_in_scope') return giveUp(delivery, problem);
    if (problem !== undefined) return disable(delivery, problem);
    const target = seal.open({ accountId: account_id, id: webhook_id }, delivery.sealed);
    // Only someone who changed the row in the database
    if (!target) return disable(delivery, 'unreadable');
    let sent: Sent;
    try {
      const { signal } = stopping;
      sent = await sendWebhook(target, payloadOf(delivery), {
        allowPrivate,
        timeoutMs: times.timeoutMs,
        signal,
      });
    } catch {
      return releaseDelivery(db, delivery);
    }
    if (sent.delivered) {
      metrics.count('memrelay_webhook_deliveries_total', { result: 'delivered' });
      return saveDelivered(db, delivery);
    }
    if (sent.error === gone) return disable(delivery, gone);
    const delayMs = retryInMs(delivery.attempts, sent.afterMs);
    return retry(delivery, { error: sent.error, pauseMs: Math.min(delayMs, longestPauseMs), delayMs });
  }

  async function retry(
    delivery: ClaimedDelivery,
    failure: Pick<FailedAttempt, 'error' | 'pauseMs'> & { delayMs?: number },
  ): Promise<void> {
    const { giveUpAfterMs } = times;
    const delayMs = failure.delayMs ?? retryInMs(delivery.attempts, undefined);
    const outcome = await saveFailedAttempt(db, delivery, { ...failure, delayMs, giveUpAfterMs });
    const result = outcome === 'retried' ? 'retried' : 'failed';
    metrics.count('memrelay_webhook_deliveries_total', { result });
    if (outcome === 'disabled') logDisabled(delivery, failure.error);
  }

  function retryInMs(attempts: number, afterMs: number | undefined): number {
    const delayMs = backoffMs(attempts, { firstMs: times.firstRetryMs, maxMs: longestRetryMs });
    return Math.round(Math.max(delayMs, Math.min(afterMs ?? 0, longestRetryAfterMs)));
  }

  async function giveUp(delivery: ClaimedDelivery, error: string): Promise<void> {
    metrics.count('memrelay_webhook_deliveries_total', { result: 'failed' });
    await saveGivenUp(db, delivery, error);
  }

  async function disable(delivery: ClaimedDelivery, reason: string): Promise<void> {
    metrics.count('memrelay_webhook_deliveries_total', { result: 'failed' });
    await db.transaction((tx) => disableWebhook(tx, delivery.account_id, delivery.webhook_id, reason));
    logDisabled(delivery, reason);
  }

  function logDisabled({ account_id, webhook_id }: ClaimedDelivery, reason: string): void {
    log.warn({ account_id: bytesToAddress(account_id), webhook_id, reason }, 'a webhook was disabled');
  }

  const loop = startTaskLoop(times.pollMs, claimDue, (err) =>
    log.error({ err }, 'webhook deliveries cannot be read; will retry'),
  );
  return {
    async stop() {
      stopping.abort();
      await loop.stop();
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
