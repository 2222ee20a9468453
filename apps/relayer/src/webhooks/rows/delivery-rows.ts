import type { Db, Queryable } from '../../base/db/db.ts';
import { disableWebhook } from './webhook-rows.ts';

/** An event for one webhook that this relayer delivers now. */
export interface ClaimedDelivery {
  id: string;
  account_id: Buffer;
  webhook_id: string;
  type: string;
  namespace: string;
  memory_ids: string[];
  reason: string | null;
  created_at: Date;
  /** Number of this attempt, from 1 */
  attempts: number;
  sealed: Buffer;
  delegate_pk: Buffer;
}

export interface ClaimLimits {
  limit: number;
  /** Of one webhook, so that an unresponsive receiver does not delay the others */
  perWebhook: number;
  /** Webhooks with enough attempts in progress here */
  busy: readonly string[];
  /** Another relayer takes a delivery whose result was not saved for this long */
  leaseMs: number;
}

/** Deliveries considered for a claim */
const considered = 1_000;

/**
 * Claims due deliveries, those that are due longest first. Several relayers never claim the same delivery at the same time.
 */
export async function claimDeliveries(db: Db, limits: ClaimLimits): Promise<ClaimedDelivery[]> {
  const { rows } = await db.query<ClaimedDelivery>(
    `WITH due AS (
       SELECT d.id, d.next_at, row_number() OVER (PARTITION BY d.account_id, d.webhook_id ORDER BY d.next_at) AS place
       FROM (
         SELECT d.id, d.next_at, d.account_id, d.webhook_id
         FROM webhook_delivery d JOIN webhook w ON w.account_id = d.account_id AND w.id = d.webhook_id
         WHERE d.status = 'waiting' AND d.next_at <= now() AND (d.leased_until IS NULL OR d.leased_until < now())
           AND w.listening AND w.disabled_at IS NULL AND (w.paused_until IS NULL OR w.paused_until <= now())
           AND w.id <> ALL ($3::uuid[])
         ORDER BY d.next_at LIMIT ${considered}) AS d),
     locked AS (
       SELECT id FROM webhook_delivery
       WHERE id IN (SELECT id FROM due WHERE place <= $2)
         AND status = 'waiting' AND next_at <= now() AND (leased_until IS NULL OR leased_until < now())
       ORDER BY next_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     UPDATE webhook_delivery AS d SET attempts = attempts + 1, leased_until = now() + make_interval(secs => $4)
     FROM locked, webhook w
     WHERE d.id = locked.id AND w.account_id = d.account_id AND w.id = d.webhook_id
     RETURNING d.id, d.account_id, d.webhook_id, d.type, d.namespace, d.memory_ids, d.reason, d.created_at, d.attempts,
       w.sealed, w.delegate_pk`,
    [limits.limit, limits.perWebhook, [...limits.busy], limits.leaseMs / 1000],
  );
  return rows;
}

type Claim = Pick<ClaimedDelivery, 'id' | 'attempts' | 'account_id' | 'webhook_id'>;

/** Condition that no other attempt has begun since: $1 is the id, $2 the number of the attempt. */
const isOurs = "id = $1 AND attempts = $2 AND status = 'waiting'";

/** If the webhook was failing, its other deliveries are due at once. */
export async function saveDelivered(db: Db, { id, attempts }: Claim): Promise<void> {
  await db.query(
    `WITH done AS (
       UPDATE webhook_delivery SET status = 'delivered', ended_at = now(), leased_until = NULL, last_error = NULL
       WHERE ${isOurs} RETURNING account_id, webhook_id),
     recovered AS (
       UPDATE webhook SET failing_since = NULL, last_error = NULL, paused_until = NULL FROM done
       WHERE webhook.account_id = done.account_id AND webhook.id = done.webhook_id AND failing_since IS NOT NULL
       RETURNING webhook.account_id, webhook.id)
     UPDATE webhook_delivery AS d SET next_at = now() FROM recovered
     WHERE d.account_id = recovered.account_id AND d.webhook_id = recovered.id AND d.status = 'waiting' AND d.id <> $1`,
    [id, attempts],
  );
}

export interface FailedAttempt {
  error: string;
  /** Until the next attempt of this delivery */
  delayMs: number;
  /** Until the next attempt of any delivery of the webhook; undefined if it is not the receiver's fault */
  pauseMs: number | undefined;
  giveUpAfterMs: number;
}

/**
 * Saves when the next attempt is due, or gives the delivery up once it is too old. Disables a webhook that has been failing
 * for as long. Returns what became of both; `retried` also if another attempt has begun in the meantime.
 */
export async function saveFailedAttempt(
  db: Db,
  claim: Claim,
  { error, delayMs, pauseMs, giveUpAfterMs }: FailedAttempt,
): Promise<'retried' | 'failed' | 'disabled'> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.query<{ status: string }>(
      `UPDATE webhook_delivery SET leased_until = NULL, last_error = $3, next_at = now() + make_interval(secs => $4),
         status = CASE WHEN created_at < now() - make_interval(secs => $5) THEN 'failed' ELSE status END,
         ended_at = CASE WHEN created_at < now() - make_interval(secs => $5) THEN now() END
       WHERE ${isOurs} RETURNING status`,
      [claim.id, claim.attempts, error, delayMs / 1000, giveUpAfterMs / 1000],
    );
    const outcome = rows[0]?.status === 'failed' ? 'failed' : 'retried';
    if (!rows[0] || pauseMs === undefined) return outcome;
    const { rows: failing } = await tx.query<{ too_long: boolean }>(
      `UPDATE webhook SET failing_since = coalesce(failing_since, now()), last_error = $3,
         paused_until = now() + make_interval(secs => $4)
       WHERE account_id = $1 AND id = $2 RETURNING failing_since < now() - make_interval(secs => $5) AS too_long`,
      [claim.account_id, claim.webhook_id, error, pauseMs / 1000, giveUpAfterMs / 1000],
    );
    if (!failing[0]?.too_long) return outcome;
    await disableWebhook(tx, claim.account_id, claim.webhook_id, error);
    return 'disabled';
  });
}

/** Gives a delivery up without another attempt. */
export async function saveGivenUp(db: Db, { id, attempts }: Claim, error: string): Promise<void> {
  await db.query(
    `UPDATE webhook_delivery SET status = 'failed', ended_at = now(), leased_until = NULL, last_error = $3
     WHERE ${isOurs}`,
    [id, attempts, error],
  );
}

/** The attempt was broken off here: another relayer may begin one at once. */
export async function releaseDelivery(db: Db, { id, attempts }: Claim): Promise<void> {
  await db.query(`UPDATE webhook_delivery SET leased_until = NULL WHERE ${isOurs}`, [id, attempts]);
}

/** Records an event for the webhooks of the account that want it, in the transaction of the event. */
export async function noteWebhookEvent(
  tx: Queryable,
  accountId: Buffer,
  event: { type: string; namespace: string; memoryIds: readonly string[]; reason: string },
): Promise<void> {
  await tx.query('SELECT note_webhook_event($1, $2, $3, $4::uuid[], $5)', [
    accountId,
    event.type,
    event.namespace,
    [...event.memoryIds],
    event.reason,
  ]);
}

export interface StoredDelivery {
  id: string;
  type: string;
  namespace: string;
  memory_ids: string[];
  reason: string | null;
  created_at: Date;
  status: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  next_at: Date;
  last_error: string | null;
  ended_at: Date | null;
}

/** Newest first. */
export async function readDeliveries(
  db: Db,
  accountId: Buffer,
  webhookId: string,
  limit: number,
): Promise<StoredDelivery[]> {
  const { rows } = await db.query<StoredDelivery>(
    `SELECT id, type, namespace, memory_ids, reason, created_at, status, attempts, next_at, last_error, ended_at
     FROM webhook_delivery WHERE account_id = $1 AND webhook_id = $2 ORDER BY created_at DESC, id LIMIT $3`,
    [accountId, webhookId, limit],
  );
  return rows;
}

/** Deliveries are counted up to this number. */
const counted = 100_000;

/** Deliveries that wait, and the age of the oldest one in seconds, without those of webhooks that are failing. */
export async function deliveryBacklog(db: Db): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await db.query<{ waiting: number; oldest: number | null }>(
    `SELECT count(*)::int AS waiting,
       extract(epoch FROM now() - min(created_at) FILTER (WHERE failing_since IS NULL))::float8 AS oldest
     FROM (
       SELECT d.created_at, w.failing_since
       FROM webhook_delivery d JOIN webhook w ON w.account_id = d.account_id AND w.id = d.webhook_id
       WHERE d.status = 'waiting' ORDER BY d.next_at LIMIT ${counted}) AS waiting`,
  );
  return { waiting: rows[0]!.waiting, oldestSeconds: rows[0]!.oldest ?? 0 };
}

/** Rows per statement, which has a time limit */
const prunedAtOnce = 5_000;

/** What can be deleted: ended a week ago, delivered by no relayer any more, without a webhook, or announced long ago. */
const obsolete = [
  "SELECT id FROM webhook_delivery WHERE status <> 'waiting' AND ended_at < now() - interval '7 days'",
  "SELECT id FROM webhook_delivery WHERE status = 'waiting' AND created_at < now() - interval '3 days'",
  `SELECT id FROM webhook_delivery d WHERE status = 'waiting' AND created_at < now() - interval '1 hour'
     AND NOT EXISTS (SELECT 1 FROM webhook w WHERE w.account_id = d.account_id AND w.id = d.webhook_id)`,
];

export async function pruneDeliveries(db: Db): Promise<void> {
  for (const ids of obsolete)
    for (let pruned = prunedAtOnce; pruned === prunedAtOnce; )
      ({ rowCount: pruned } = await db.query(
        `DELETE FROM webhook_delivery WHERE id = ANY (ARRAY(${ids} LIMIT ${prunedAtOnce}))`,
      ));
  await db.query("DELETE FROM announced_expiry WHERE announced_at < now() - interval '90 days'");
}
