import { backoffMs } from '@memrelay/protocol/backoff';
import type { Logger } from 'pino';
import { startTaskLoop, type TaskLoop } from '../../base/concurrency/task-loop.ts';
import type { Db } from '../../base/db/db.ts';
import { createSharedTask } from '../../base/rows/shared-tasks.ts';
import { alertsWait, dropAlerts, takeAlerts } from '../rows/alert-outbox.ts';
import { alertMessage } from './alert-message.ts';
import { type Posted, postWebhook } from './post-webhook.ts';

export interface AlertSenderOptions {
  db: Db;
  /** A secret: anyone who knows it can post */
  webhookUrl: string;
  network: string;
  log: Logger;
  times?: Partial<SenderTimes>;
}

export interface SenderTimes {
  /** Pause between checks for alerts that another relayer wrote */
  pollMs: number;
  /** From one message to the next, so that many failures are one message */
  pauseMs: number;
  deadlineMs: number;
  firstRetryMs: number;
  giveUpAfterMs: number;
}

const usualTimes: SenderTimes = {
  pollMs: 5_000,
  pauseMs: 60_000,
  deadlineMs: 10_000,
  firstRetryMs: 2_000,
  giveUpAfterMs: 24 * 3_600_000,
};
const longestRetryMs = 10 * 60_000;
const longestRetryAfterMs = 3_600_000;

/**
 * Posts the alerts in the outbox: the first at once, those of the next minute together as one message. Of several relayers
 * on one database, one posts at a time. A message is posted twice only if a relayer is killed between the chat's answer
 * and saving it.
 */
export async function startAlertSender(options: AlertSenderOptions): Promise<TaskLoop> {
  const { db, log } = options;
  const times = { ...usualTimes, ...options.times };
  const task = await createSharedTask(db, 'post alerts');

  async function postDue(): Promise<void> {
    if (!(await alertsWait(db))) return;
    const claim = await task.claim();
    if (!claim) return;
    const { token, failures } = claim;
    const batch = await takeAlerts(db, token);
    if (!batch) return task.settle(token, { dueInMs: 0, failed: false });
    const posted = await postWebhook(
      options.webhookUrl,
      alertMessage(options.network, batch),
      times.deadlineMs,
    );
    if (posted.result !== 'retry') {
      const count = await dropAlerts(db, token);
      if (posted.result === 'posted') log.info({ alerts: count }, 'alerts were posted');
      else
        log.error(
          { alerts: count, reason: posted.reason },
          'the ALERT_TO_SLACK webhook rejects messages; alerts were dropped',
        );
      return task.settle(token, { dueInMs: times.pauseMs, failed: false });
    }
    const dueInMs = retryInMs(posted, failures);
    const lost = await dropAlerts(db, token, times.giveUpAfterMs);
    if (lost > 0)
      log.error(
        { alerts: lost, reason: posted.reason },
        'alerts were dropped because they could not be posted for too long',
      );
    log.warn({ reason: posted.reason, retry_in_ms: dueInMs }, 'alerts could not be posted');
    return task.settle(token, { dueInMs, failed: true });
  }

  function retryInMs({ afterMs }: Posted & { result: 'retry' }, failures: number): number {
    const delayMs = backoffMs(failures + 1, { firstMs: times.firstRetryMs, maxMs: longestRetryMs });
    return Math.round(Math.max(delayMs, Math.min(afterMs ?? 0, longestRetryAfterMs)));
  }

  return startTaskLoop(times.pollMs, postDue, (error) =>
    log.error({ err: error }, 'the outbox of alerts could not be processed; it will be retried'),
  );
}
