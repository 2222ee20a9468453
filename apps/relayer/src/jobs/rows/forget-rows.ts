import type { Db, Queryable } from '../../base/db/db.ts';
import type { UploadProgress } from './claim-jobs.ts';
import { type AccountNamespace, isShared, patchIdLength } from './forgotten-objects.ts';
import { noteBrokenOff, triedBlobs } from './stray-rows.ts';
import { deleteSuccessors } from './successors.ts';

/** A memory whose rows were deleted. */
export interface Removed {
  id: string;
  envelopeId: Buffer | undefined;
  blobId: string | undefined;
  objectId: string | undefined;
}

interface JobRow {
  id: string;
  envelope_id: Buffer | null;
  /** It ended with the blob of another memory */
  stored_nothing: boolean;
  /** Of an upload that may have started without a known result */
  checkpoint: UploadProgress | null;
}

/** Ids of memories of a namespace, stored, on their way or failed; at most `limit`. */
export async function targetsIn(
  db: Db,
  { accountId, namespace }: AccountNamespace,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `(SELECT id FROM memory WHERE account_id = $1 AND namespace = $2 LIMIT $3)
     UNION
     (SELECT id FROM memory_job
      WHERE account_id = $1 AND namespace = $2 AND kind = 1 AND status <> 'done'
        AND checkpoint ->> 'renews' IS NULL LIMIT $3)
     LIMIT $3`,
    [accountId, namespace, limit],
  );
  return rows.map(({ id }) => id);
}

/** The namespaces of an account in which `targetsIn` finds anything. */
export async function namespacesToForget(db: Db, accountId: Buffer): Promise<string[]> {
  const { rows } = await db.query<{ namespace: string }>(
    `SELECT namespace FROM memory WHERE account_id = $1
     UNION
     SELECT namespace FROM memory_job
     WHERE account_id = $1 AND kind = 1 AND status <> 'done' AND checkpoint ->> 'renews' IS NULL
     ORDER BY namespace`,
    [accountId],
  );
  return rows.map(({ namespace }) => namespace);
}

/** A memory that an id may name. */
export interface ResolvedId {
  /** As the client sent it, a UUID in lower case */
  requested: string;
  memory: string;
}

/**
 * The memories of a namespace that these ids refer to. An id may be that of the memory, of a job that stored the same
 * text, or of a current or former blob. A UUID also refers to itself, even if there is no such memory.
 */
export async function resolveIds(
  db: Db,
  { accountId, namespace, tag }: AccountNamespace,
  ids: readonly string[],
): Promise<ResolvedId[]> {
  const own = ids.filter(isUuid).map((id) => id.toLowerCase());
  const { rows } = await db.query<ResolvedId>(
    `SELECT id::text AS requested, memory_id AS memory FROM memory_job JOIN known_text USING (account_id, text_hash)
     WHERE account_id = $1 AND namespace = $2 AND id = ANY($3::uuid[])
     UNION
     SELECT blob_id, id FROM memory WHERE account_id = $1 AND namespace = $2 AND blob_id = ANY($4::text[])
     UNION
     SELECT former_blob.blob_id, memory_id
     FROM former_blob JOIN memory ON memory.account_id = $1 AND memory.id = memory_id
     WHERE former_blob.account_id = $1 AND namespace = $2 AND former_blob.blob_id = ANY($4::text[])
     UNION
     SELECT blob_id, memory_id FROM forgotten_memory
     WHERE account_id = $1 AND tag = $5 AND blob_id = ANY($4::text[])
     UNION
     SELECT former_blob.blob_id, memory_id FROM former_blob JOIN forgotten_memory USING (account_id, memory_id)
     WHERE account_id = $1 AND tag = $5 AND former_blob.blob_id = ANY($4::text[])`,
    [accountId, namespace, own, ids.filter((id) => !isUuid(id)), tag],
  );
  return [...own.map((id) => ({ requested: id, memory: id })), ...rows];
}

/** The memories that these ids name, each once. */
export async function memoryIds(db: Db, ns: AccountNamespace, ids: readonly string[]): Promise<string[]> {
  const named = await resolveIds(db, ns, ids);
  return [...new Set(named.map(({ memory }) => memory))];
}

/** Returns which of these memories were forgotten in a namespace. */
export async function forgottenBefore(
  db: Db,
  { accountId, tag }: AccountNamespace,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT memory_id AS id FROM forgotten_memory
     WHERE account_id = $1 AND tag = $2 AND memory_id = ANY($3::uuid[])`,
    [accountId, tag, [...ids]],
  );
  return rows.map(({ id }) => id);
}

/** Returns which of these memories have any rows. */
export async function present(
  db: Db,
  { accountId, namespace }: AccountNamespace,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT id FROM memory WHERE account_id = $1 AND namespace = $2 AND id = ANY($3::uuid[])
     UNION
     SELECT id FROM memory_job WHERE account_id = $1 AND namespace = $2 AND kind = 1 AND id = ANY($3::uuid[])`,
    [accountId, namespace, [...ids]],
  );
  return rows.map(({ id }) => id);
}

/** A blob id has another length. */
function isUuid(id: string): boolean {
  return id.length === 36;
}

const unheard = "CASE WHEN status <> 'done' OR upload_claims > 1 THEN checkpoint END AS checkpoint";

/**
 * Deletes all rows of these memories, and the jobs for the same text: those that ended with its blob, those that wait
 * for it, and failed ones, whose retry would store it again.
 * Locks texts first, then jobs, then memories, in the same order as writers. A running job loses its lease with its
 * row, so its result is not saved.
 */
export async function deleteMemories(
  tx: Queryable,
  { accountId, namespace, tag }: AccountNamespace,
  ids: readonly string[],
): Promise<Removed[]> {
  const { rows: texts } = await tx.query<{ text_hash: Buffer }>(
    `DELETE FROM known_text WHERE account_id = $1 AND memory_id = ANY($2::uuid[])
       AND EXISTS (SELECT 1 FROM memory_job
                   WHERE id = memory_id AND account_id = $1 AND namespace = $3
                   UNION ALL
                   SELECT 1 FROM memory WHERE account_id = $1 AND id = memory_id AND namespace = $3)
     RETURNING text_hash`,
    [accountId, [...ids], namespace],
  );
  await lockJobs(tx, accountId, ids);
  const { rows: jobs } = await tx.query<JobRow>(
    `DELETE FROM memory_job WHERE account_id = $1 AND namespace = $3 AND kind = 1 AND id = ANY($2::uuid[])
     RETURNING id, envelope_id, duplicate AND status = 'done' AS stored_nothing, ${unheard}`,
    [accountId, [...ids], namespace],
  );
  const { rows: duplicates } = await tx.query<JobRow>(
    `DELETE FROM memory_job
     WHERE account_id = $1 AND (duplicate OR namespace = $3 AND status = 'failed')
       AND text_hash IN (SELECT decode(hash, 'hex') FROM unnest($2::text[]) AS hash)
     RETURNING id, envelope_id, status = 'done' AS stored_nothing, ${unheard}`,
    [accountId, texts.map(({ text_hash }) => text_hash.toString('hex')), namespace],
  );
  const { rows: renewals } = await tx.query<Pick<JobRow, 'checkpoint'>>(
    `DELETE FROM memory_job WHERE account_id = $1 AND namespace = $3
       AND checkpoint ->> 'renews' IS NOT NULL AND checkpoint ->> 'renews' = ANY($2::text[])
     RETURNING ${unheard}`,
    [accountId, [...ids], namespace],
  );
  const brokenOff = [...jobs, ...duplicates, ...renewals].flatMap(({ checkpoint }) =>
    checkpoint ? triedBlobs(checkpoint) : [],
  );
  await noteBrokenOff(tx, accountId, brokenOff);
  const own = [...jobs, ...duplicates].filter((job) => !job.stored_nothing);
  const all = [...new Set([...ids, ...own.map(({ id }) => id)])];
  // Locked by a separate statement, so that the next one sees what others have just written for them, such as new vectors
  await tx.query(
    'SELECT 1 FROM memory WHERE account_id = $1 AND namespace = $3 AND id = ANY($2::uuid[]) ORDER BY id FOR UPDATE',
    [accountId, all, namespace],
  );
  const { rows: memories } = await tx.query<{
    id: string;
    envelope_id: Buffer | null;
    blob_id: string | null;
    object_id: string | null;
  }>(
    `WITH gone AS (
       DELETE FROM memory WHERE account_id = $1 AND namespace = $3 AND id = ANY($2::uuid[])
       RETURNING id, envelope_id, blob_id, object_id),
     vectors AS (
       DELETE FROM memory_vector USING gone WHERE account_id = $1 AND memory_id = gone.id),
     former AS (
       UPDATE former_blob SET forgotten_at = now() FROM gone
       WHERE former_blob.account_id = $1 AND former_blob.memory_id = gone.id)
     SELECT * FROM gone`,
    [accountId, all, namespace],
  );
  const removed = new Map<string, Removed>();
  for (const { id, envelope_id, checkpoint } of own)
    removed.set(id, {
      id,
      envelopeId: envelope_id ?? undefined,
      // An upload may still store it
      blobId: checkpoint ? triedBlobs(checkpoint).at(-1) : undefined,
      objectId: undefined,
    });
  for (const { id, envelope_id, blob_id, object_id } of memories)
    removed.set(id, {
      id,
      envelopeId: envelope_id ?? undefined,
      blobId: blob_id ?? undefined,
      objectId: object_id ?? undefined,
    });
  await deleteSuccessors(tx, accountId, [...removed.values()]);
  await keepForgotten(tx, accountId, tag, [...removed.values()]);
  await markShared(
    tx,
    accountId,
    memories.filter(({ blob_id, object_id }) => blob_id?.length === patchIdLength && object_id),
  );
  return [...removed.values()];
}

/** In the order of their ids, as a stage locks the jobs that it writes together (save-embedded.ts). */
async function lockJobs(tx: Queryable, accountId: Buffer, ids: readonly string[]): Promise<void> {
  await tx.query(
    'SELECT 1 FROM memory_job WHERE account_id = $1 AND id = ANY($2::uuid[]) ORDER BY id FOR UPDATE',
    [accountId, [...ids]],
  );
}

/**
 * Returns which of these envelopes (32 hex digits) another memory of the namespace also has: a client may have stored the
 * same bytes twice. A tombstone would forget that memory too.
 */
export async function inOtherMemories(
  tx: Queryable,
  { accountId, namespace }: AccountNamespace,
  removed: readonly Removed[],
): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ envelope_id: Buffer }>(
    `SELECT envelope_id FROM memory
     WHERE account_id = $1 AND namespace = $2
       AND envelope_id IN (SELECT decode(id, 'hex') FROM unnest($3::text[]) AS id)`,
    [accountId, namespace, removed.flatMap(({ envelopeId }) => envelopeId?.toString('hex') ?? [])],
  );
  return new Set(rows.map((row) => row.envelope_id.toString('hex')));
}

async function keepForgotten(
  tx: Queryable,
  accountId: Buffer,
  tag: Buffer,
  removed: readonly Removed[],
): Promise<void> {
  if (removed.length === 0) return;
  let next = 2;
  const placeholders = removed.map(
    () => `($1, $${++next}::uuid, $2, $${++next}::bytea, $${++next}, $${++next})`,
  );
  await tx.query(
    `INSERT INTO forgotten_memory (account_id, memory_id, tag, envelope_id, blob_id, object_id)
     VALUES ${placeholders.join(', ')} ON CONFLICT DO NOTHING`,
    [
      accountId,
      tag,
      ...removed.flatMap(({ id, envelopeId, blobId, objectId }) => [
        id,
        envelopeId ?? null,
        blobId ?? null,
        objectId ?? null,
      ]),
    ],
  );
}

/** If a remaining memory is in the same object, it has to be stored again first (upkeep/renewals/start-repacking.ts). */
async function markShared(
  tx: Queryable,
  accountId: Buffer,
  memories: readonly { id: string }[],
): Promise<void> {
  if (memories.length === 0) return;
  await tx.query(
    `UPDATE forgotten_memory SET shared = true
     WHERE account_id = $1 AND memory_id = ANY($2::uuid[]) AND ${isShared('forgotten_memory.object_id')}`,
    [accountId, memories.map(({ id }) => id)],
  );
}
