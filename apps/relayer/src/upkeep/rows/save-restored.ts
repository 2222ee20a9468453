import { createHash, randomUUID } from 'node:crypto';
import { envelopeKind } from '@memrelay/envelope/header';
import type { Db, Queryable, SqlValue } from '../../base/db/db.ts';
import { placeholdersIn } from '../../base/db/placeholders.ts';
import { sha256 } from '../../base/sha256.ts';
import { addContext, type ContextColumns, contextColumns } from '../../index/context-tokens.ts';
import type { IndexData } from '../../index/index-data.ts';
import { addKeywords, keywordColumns } from '../../index/keyword-columns.ts';
import { pieceRows, vectorColumns } from '../../index/vector-rows.ts';
import { deleteMemories } from '../../jobs/rows/forget-rows.ts';
import type { AccountNamespace } from '../../jobs/rows/forgotten-objects.ts';
import { insertSuccessors } from '../../jobs/rows/successors.ts';
import { storableImportance, storableTime } from '../../keys/seal-job.ts';
import { type OpenedCandidate, saveOutcome } from './restore-rows.ts';

/** A memory to restore, with the index data of its text. */
export interface IndexedCandidate {
  restored: OpenedCandidate;
  /** Undefined for a memory that expires: it is never the one that holds a text */
  textHash: Buffer | undefined;
  context: ContextColumns;
  data: IndexData;
}

/**
 * Saves restored memories in one transaction and marks their envelopes as done. Only the ids are new, because the ids of
 * the jobs are lost. Skips memories that exist or have since been forgotten, and returns the others. Rows are inserted in
 * a fixed order, so that two restores cannot deadlock.
 */
export async function saveRestored(
  db: Db,
  ns: AccountNamespace,
  memories: readonly IndexedCandidate[],
): Promise<OpenedCandidate[]> {
  const { accountId } = ns;
  const byId = new Map(
    memories.map((memory) => [memoryIdOf(ns.tag, memory.restored.candidate.envelopeId), memory] as const),
  );
  const sorted = [...byId].sort(([a], [b]) => (a < b ? -1 : 1));
  return db.transaction(async (tx) => {
    await insertKnownTexts(tx, ns, sorted);
    const saved = await insertMemories(tx, ns, sorted);
    await tx.query(
      `DELETE FROM known_text WHERE account_id = $1 AND memory_id = ANY($2::uuid[])
         AND NOT EXISTS (SELECT 1 FROM memory WHERE account_id = $1 AND id = known_text.memory_id)`,
      [accountId, [...byId.keys()].filter((id) => !saved.has(id))],
    );
    const successions = [...saved].map((id) => ({
      accountId,
      successorId: id,
      envelopeIds: byId.get(id)!.restored.supersedes.map((each) => Buffer.from(each, 'hex')),
    }));
    await insertSuccessors(tx, successions);
    const storedAs = memories.map(({ restored }) => restored.candidate.storedAs);
    await saveOutcome(tx, accountId, storedAs, 'done');
    return [...saved].map((id) => byId.get(id)!.restored);
  });
}

type WithId = readonly [id: string, memory: IndexedCandidate];

/** Which memory holds a text, unless it was forgotten. */
async function insertKnownTexts(
  tx: Queryable,
  { accountId, tag }: AccountNamespace,
  memories: readonly WithId[],
): Promise<void> {
  const values: SqlValue[] = [accountId, tag];
  const placeholder = placeholdersIn(values);
  const rows = memories.flatMap(([id, { restored, textHash }]) =>
    textHash
      ? `(${placeholder(id, 'uuid')}, ${placeholder(textHash, 'bytea')}, ${placeholder(restored.candidate.envelopeId, 'bytea')})`
      : [],
  );
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO known_text (account_id, text_hash, memory_id)
     SELECT $1, text_hash, id FROM (VALUES ${rows.join(', ')}) AS given (id, text_hash, envelope_id)
     WHERE NOT EXISTS (
       SELECT 1 FROM forgotten_memory WHERE account_id = $1 AND envelope_id = given.envelope_id AND tag = $2)
     ORDER BY text_hash, id
     ON CONFLICT DO NOTHING`,
    values,
  );
}

/** Returns the ids of the memories that were inserted, with their vectors. */
async function insertMemories(
  tx: Queryable,
  { accountId, namespace, tag }: AccountNamespace,
  memories: readonly WithId[],
): Promise<Set<string>> {
  const values: SqlValue[] = [accountId, namespace, tag];
  const placeholder = placeholdersIn(values);
  const rows = memories.map(([id, { restored, data, context }]) => {
    const { candidate, envelope } = restored;
    const placeholders = [
      placeholder(id, 'uuid'),
      placeholder(data.info.model, 'text'),
      placeholder(data.info.keyId, 'smallint'),
      placeholder(candidate.storedAs, 'text'),
      placeholder(candidate.objectId, 'text'),
      placeholder(candidate.endEpoch, 'integer'),
      placeholder(candidate.envelopeId, 'bytea'),
      placeholder(sha256(envelope), 'bytea'),
      placeholder(envelope.length, 'integer'),
      placeholder(storableImportance(restored.importance), 'real'),
      placeholder(storableTime(restored.createdAt), 'timestamptz'),
      addKeywords(values, data.keywords),
      addContext(values, context),
    ];
    return `(${placeholders.join(', ')})`;
  });
  const pieces = memories.flatMap(([id, { data }]) => pieceRows(placeholder, id, data.chunks));
  const { rows: saved } = await tx.query<{ id: string }>(
    `WITH given (id, model, key_id, blob_id, object_id, end_epoch, envelope_id, envelope_sha256, size, importance,
         created_at, ${keywordColumns}, ${contextColumns}) AS (VALUES ${rows.join(', ')}),
     piece (id, no, embedding) AS (VALUES ${pieces.join(', ')}),
     saved AS (
       INSERT INTO memory (account_id, id, namespace, state, blob_id, object_id, end_epoch, envelope_id,
         envelope_sha256, size, importance, created_at, ${keywordColumns}, ${contextColumns})
       SELECT $1::bytea, id, $2::text, 'done', blob_id, object_id, end_epoch, envelope_id, envelope_sha256, size,
         importance, created_at, ${keywordColumns}, ${contextColumns}
       FROM given
       WHERE NOT EXISTS (
           SELECT 1 FROM forgotten_memory WHERE account_id = $1 AND envelope_id = given.envelope_id AND tag = $3)
         AND NOT EXISTS (
           SELECT 1 FROM memory WHERE account_id = $1 AND envelope_id = given.envelope_id AND namespace = $2)
       ORDER BY id
       ON CONFLICT DO NOTHING RETURNING id),
     vectors AS (
       INSERT INTO memory_vector (${vectorColumns})
       SELECT $1::bytea, $2::text, model, id, no, key_id, embedding, binary_quantize(embedding)
       FROM saved JOIN given USING (id) JOIN piece USING (id))
     SELECT id FROM saved`,
    values,
  );
  return new Set(saved.map(({ id }) => id));
}

/**
 * The same id for an envelope each time, so that of two concurrent restores one inserts it. It differs between
 * namespaces, because writers choose envelope ids.
 */
function memoryIdOf(tag: Buffer, envelopeId: Buffer): string {
  const digest = createHash('sha256').update('memrelay-restored-v1').update(tag).update(envelopeId).digest();
  // Version 8 of UUIDs: a custom digest
  digest[6] = (digest[6]! & 0x0f) | 0x80;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Forgets the memories that a tombstone names, with the objects that the owner still has of them. Indexed memories are
 * deleted too, unless they were forgotten here before: those have been stored again since. Returns the blobs of the
 * deleted memories.
 */
export async function saveForgotten(
  db: Db,
  { accountId, tag, namespace }: AccountNamespace,
  envelopeIds: readonly string[],
): Promise<string[]> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      `SELECT id FROM memory WHERE account_id = $1 AND namespace = $2
         AND envelope_id IN (SELECT decode(id, 'hex') FROM unnest($4::text[]) AS id)
         AND NOT EXISTS (SELECT 1 FROM forgotten_memory gone
           WHERE gone.account_id = $1 AND gone.tag = $3 AND gone.envelope_id = memory.envelope_id)`,
      [accountId, namespace, tag, [...envelopeIds]],
    );
    const indexed = rows.map(({ id }) => id);
    const removed =
      indexed.length > 0 ? await deleteMemories(tx, { accountId, namespace, tag }, indexed) : [];
    for (const envelopeId of envelopeIds)
      await tx.query(
        `INSERT INTO forgotten_memory (account_id, memory_id, tag, envelope_id, blob_id, object_id, shared)
         SELECT $1, $2::uuid, $3, $4, found.stored_as, blob.object_id, coalesce(length(found.stored_as) = 50, false)
         FROM (VALUES (1)) AS one (row)
           LEFT JOIN chain_envelope found ON found.account_id = $1 AND found.tag = $3 AND found.envelope_id = $4
           LEFT JOIN chain_blob blob ON blob.account_id = $1 AND blob.blob_id = found.blob_id
         WHERE NOT EXISTS (
           SELECT 1 FROM forgotten_memory WHERE account_id = $1 AND envelope_id = $4 AND tag = $3)
         ORDER BY blob.certified_epoch LIMIT 1`,
        [accountId, randomUUID(), tag, Buffer.from(envelopeId, 'hex')],
      );
    return removed.flatMap(({ blobId }) => blobId ?? []);
  });
}

/**
 * Records a tombstone that a restore found, so that it is renewed like one that was made here: it is stored again
 * before it expires while a blob that it forgets is alive (renewals/renew-wraps-and-tombstones.ts). A known tombstone
 * is left unchanged.
 */
export async function keepTombstone(
  tx: Queryable,
  { accountId, namespace, tag }: AccountNamespace,
  owner: string,
  { candidate, envelope, supersedes }: Pick<OpenedCandidate, 'candidate' | 'envelope' | 'supersedes'>,
): Promise<void> {
  const { storedAs, envelopeId, objectId, endEpoch } = candidate;
  await tx.query(
    `WITH kept AS (
       INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, status, stage, kind, blob_id, envelope_id,
         envelope_sha256, checkpoint)
       SELECT $3::uuid, $1::bytea, $4, $5, ''::bytea, 'done', 'indexing', ${envelopeKind.tombstone}, $6, $7, $8, $9::jsonb
       WHERE NOT EXISTS (
         SELECT 1 FROM memory_job WHERE account_id = $1 AND kind = ${envelopeKind.tombstone} AND envelope_id = $7)
       RETURNING id)
     INSERT INTO buried_blob (account_id, tombstone_id, blob_id)
     SELECT DISTINCT $1::bytea, kept.id, found.blob_id FROM kept, chain_envelope found
     WHERE found.account_id = $1 AND found.tag = $2
       AND found.envelope_id IN (SELECT decode(id, 'hex') FROM unnest($10::text[]) AS id)`,
    [
      accountId,
      tag,
      randomUUID(),
      owner,
      namespace,
      storedAs,
      envelopeId,
      sha256(envelope),
      JSON.stringify({ object_id: objectId, end_epoch: endEpoch }),
      [...supersedes],
    ],
  );
}
