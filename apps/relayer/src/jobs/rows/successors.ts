import type { Queryable } from '../../base/db/db.ts';

/** A memory, by its id, that replaces others, by the ids of their envelopes (`supersedes` of its envelope's meta). */
export interface Succession {
  accountId: Buffer;
  successorId: string;
  envelopeIds: readonly Buffer[];
}

/** Records which memory replaces which. Neither needs to exist yet; known pairs are skipped. */
export async function insertSuccessors(tx: Queryable, successions: readonly Succession[]): Promise<void> {
  for (const { accountId, successorId, envelopeIds } of successions) {
    if (envelopeIds.length === 0) continue;
    await tx.query(
      `INSERT INTO memory_successor (account_id, envelope_id, successor_id)
       SELECT $1, decode(envelope, 'hex'), $2 FROM unnest($3::text[]) AS envelope ON CONFLICT DO NOTHING`,
      [accountId, successorId, envelopeIds.map((id) => id.toString('hex'))],
    );
  }
}

/**
 * SQL for the id of the memory that replaces `memory`, or null. `$1` of the statement is the account. A memory whose job
 * failed or that was forgotten replaces nothing, and neither does one in another namespace, whose writers may differ.
 * `pending` is the condition under which a successor that is not stored yet counts. The inner LIMIT makes the planner
 * look the successor up by its key; without table statistics it would scan the namespace. Neither subquery names
 * `memory.account_id`: inside `FROM memory` that is the inner table's own column, and the comparison is always true.
 */
export const successorOf = (memory: string, pending: string): string => `(
  SELECT successor.id FROM memory_successor link, LATERAL (
    SELECT id, namespace, state, created_at FROM memory
    WHERE account_id = $1 AND id = link.successor_id LIMIT 1) successor
  WHERE link.account_id = $1 AND link.envelope_id = ${memory}.envelope_id
    AND successor.namespace = ${memory}.namespace
    AND (successor.state = 'done' OR (successor.state = 'pending' AND ${pending}))
  ORDER BY successor.created_at DESC LIMIT 1)`;

/** Makes `to`, which has the same text as `from`, the memory that replaces what `from` replaced. */
export async function moveSuccession(
  tx: Queryable,
  accountId: Buffer,
  from: string,
  to: string,
): Promise<void> {
  await tx.query(
    `WITH moved AS (
       DELETE FROM memory_successor WHERE account_id = $1 AND successor_id = $2 RETURNING envelope_id)
     INSERT INTO memory_successor (account_id, envelope_id, successor_id)
     SELECT $1, moved.envelope_id, memory.id FROM moved, memory
     WHERE memory.account_id = $1 AND memory.id = $3 AND memory.envelope_id IS DISTINCT FROM moved.envelope_id
     ON CONFLICT DO NOTHING`,
    [accountId, from, to],
  );
}

/** Deletes the pairs in which either memory was forgotten. */
export async function deleteSuccessors(
  tx: Queryable,
  accountId: Buffer,
  gone: readonly { id: string; envelopeId: Buffer | undefined }[],
): Promise<void> {
  await tx.query(
    `DELETE FROM memory_successor WHERE account_id = $1 AND (successor_id = ANY($2::uuid[])
       OR envelope_id IN (SELECT decode(envelope, 'hex') FROM unnest($3::text[]) AS envelope))`,
    [
      accountId,
      gone.map(({ id }) => id),
      gone.flatMap(({ envelopeId }) => (envelopeId ? [envelopeId.toString('hex')] : [])),
    ],
  );
}
