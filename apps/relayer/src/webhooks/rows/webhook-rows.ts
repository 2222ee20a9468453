import type { WebhookEvent } from '@memrelay/protocol/webhooks';
import type { Db, Queryable } from '../../base/db/db.ts';

export interface StoredWebhook {
  id: string;
  delegate_pk: Buffer;
  events: WebhookEvent[];
  namespaces: string[] | null;
  sealed: Buffer;
  created_at: Date;
  failing_since: Date | null;
  last_error: string | null;
  disabled_at: Date | null;
  disabled_reason: string | null;
}

const columns =
  'id, delegate_pk, events, namespaces, sealed, created_at, failing_since, last_error, disabled_at, disabled_reason';

/** Locks the webhooks of an account until the transaction ends, so that two requests cannot exceed their limit together. */
export async function lockedWebhookCount(tx: Queryable, accountId: Buffer): Promise<number> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 15))', [accountId.toString('hex')]);
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM webhook WHERE account_id = $1',
    [accountId],
  );
  return rows[0]!.count;
}

export async function insertWebhook(
  tx: Queryable,
  accountId: Buffer,
  webhook: Pick<StoredWebhook, 'id' | 'delegate_pk' | 'events' | 'namespaces' | 'sealed'>,
): Promise<StoredWebhook> {
  const { id, delegate_pk, events, namespaces, sealed } = webhook;
  const { rows } = await tx.query<StoredWebhook>(
    `INSERT INTO webhook (account_id, id, delegate_pk, events, namespaces, sealed)
     VALUES ($1, $2, $3, $4::text[], $5::text[], $6) RETURNING ${columns}`,
    [accountId, id, delegate_pk, events, namespaces, sealed],
  );
  return rows[0]!;
}

/** Oldest first. */
export async function readWebhooks(db: Db, accountId: Buffer): Promise<StoredWebhook[]> {
  const { rows } = await db.query<StoredWebhook>(
    `SELECT ${columns} FROM webhook WHERE account_id = $1 ORDER BY created_at, id`,
    [accountId],
  );
  return rows;
}

export async function readWebhook(db: Db, accountId: Buffer, id: string): Promise<StoredWebhook | undefined> {
  const { rows } = await db.query<StoredWebhook>(
    `SELECT ${columns} FROM webhook WHERE account_id = $1 AND id = $2`,
    [accountId, id],
  );
  return rows[0];
}

/** Deletes it with its deliveries. False if it was deleted before. */
export async function deleteWebhook(tx: Queryable, accountId: Buffer, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM webhook WHERE account_id = $1 AND id = $2', [
    accountId,
    id,
  ]);
  await tx.query('DELETE FROM webhook_delivery WHERE account_id = $1 AND webhook_id = $2', [accountId, id]);
  return rowCount > 0;
}

/** After a successful test: deliveries are attempted at once. */
export async function enableWebhook(db: Db, accountId: Buffer, id: string): Promise<void> {
  await db.query(
    `WITH enabled AS (
       UPDATE webhook SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL, last_error = NULL,
         paused_until = NULL
       WHERE account_id = $1 AND id = $2 AND (disabled_at IS NOT NULL OR failing_since IS NOT NULL) RETURNING id)
     UPDATE webhook_delivery SET next_at = now() FROM enabled
     WHERE account_id = $1 AND webhook_id = enabled.id AND status = 'waiting' AND next_at > now()`,
    [accountId, id],
  );
}

/** No more events are recorded for a disabled webhook, and those that wait are given up. */
export async function disableWebhook(
  tx: Queryable,
  accountId: Buffer,
  id: string,
  reason: string,
): Promise<void> {
  await tx.query(
    `UPDATE webhook SET disabled_at = now(), disabled_reason = $3
     WHERE account_id = $1 AND id = $2 AND disabled_at IS NULL`,
    [accountId, id, reason],
  );
  await tx.query(
    `UPDATE webhook_delivery SET status = 'failed', last_error = 'webhook_disabled', ended_at = now(), leased_until = NULL
     WHERE account_id = $1 AND webhook_id = $2 AND status = 'waiting'`,
    [accountId, id],
  );
}

/** Whether events are recorded: only while MEM_WEBHOOKS is on. */
export async function setListening(db: Db, listening: boolean): Promise<void> {
  await db.query('UPDATE webhook SET listening = $1 WHERE listening <> $1', [listening]);
}

/** Accounts with a webhook for this event. */
export async function accountsListening(db: Db, event: WebhookEvent): Promise<Buffer[]> {
  const { rows } = await db.query<{ account_id: Buffer }>(
    `SELECT DISTINCT account_id FROM webhook WHERE listening AND disabled_at IS NULL AND $1 = ANY (events)`,
    [event],
  );
  return rows.map(({ account_id }) => account_id);
}
