import { createHash, randomUUID } from 'node:crypto';
import { envelopeKind } from '@memrelay/envelope/header';
import type { Db, Queryable } from '../../base/db/db.ts';
import { sha256 } from '../../base/sha256.ts';
import type { IndexData } from '../../index/index-data.ts';
import { keywordColumns, keywordPlaceholders, keywordValues } from '../../index/keyword-columns.ts';
import { chunkParameters, insertVectors } from '../../index/vector-rows.ts';
import { deleteMemories } from '../../jobs/rows/forget-rows.ts';
import type { AccountNamespace } from '../../jobs/rows/forgotten-objects.ts';
import { insertSuccessors } from '../../jobs/rows/successors.ts';
import { storableImportance, storableTime } from '../../keys/seal-job.ts';
import type { OpenedCandidate } from './restore-rows.ts';

/**
 * Saves a restored memory. Everything but its id is as before, since the id of its job is lost. Returns false and
 * writes nothing if it exists or has since been forgotten.
 */
export async function saveRestored(
  db: Db,
  { accountId, namespace, tag }: AccountNamespace,
  restored: OpenedCandidate,
  textHash: Buffer,
  { info, chunks, keywords }: IndexData,
): Promise<boolean> {
  const { candidate, envelope } = restored;
  const id = memoryIdOf(tag, candidate.envelopeId);
  const ofKeywords = keywordValues(keywords);
  const first = 15;
  const { placeholders, values } = chunkParameters(chunks, first + ofKeywords.length);
  return db.transaction(async (tx) => {
    await tx.query(
      `INSERT INTO known_text (account_id, text_hash, memory_id)
       SELECT $1, $2, $3 WHERE NOT EXISTS (
         SELECT 1 FROM forgotten_memory WHERE account_id = $1 AND envelope_id = $4 AND tag = $5)
       ON CONFLICT DO NOTHING`,
      [accountId, textHash, id, candidate.envelopeId, tag],
    );
    const { rowCount } = await tx.query(
      `WITH job AS (
         INSERT INTO memory (account_id, id, namespace, state, blob_id, object_id, end_epoch, envelope_id,
           envelope_sha256, size, importance, created_at, ${keywordColumns})
         SELECT $1, $4::uuid, $5, 'done', $6, $7, $8::integer, $9, $10, $11::integer, $12::real, $13::timestamptz,
           ${keywordPlaceholders(first)}
         WHERE NOT EXISTS (SELECT 1 FROM forgotten_memory WHERE account_id = $1 AND envelope_id = $9 AND tag = $14)
           AND NOT EXISTS (SELECT 1 FROM memory WHERE account_id = $1 AND envelope_id = $9 AND namespace = $5)
         ON CONFLICT DO NOTHING RETURNING account_id, namespace, id)
       ${insertVectors(placeholders)}`,
      [
        accountId,
        info.model,
        info.keyId,
        id,
        namespace,
        candidate.storedAs,
        candidate.objectId,
        candidate.endEpoch,
        candidate.envelopeId,
        sha256(envelope),
        envelope.length,
        storableImportance(restored.importance),
        storableTime(restored.createdAt),
        tag,
        ...ofKeywords,
        ...values,
      ],
    );
    if (rowCount === 0) {
      await tx.query(
        `DELETE FROM known_text WHERE account_id = $1 AND memory_id = $2
           AND NOT EXISTS (SELECT 1 FROM memory WHERE account_id = $1 AND id = $2)`,
        [accountId, id],
      );
      return false;
    }
    const envelopeIds = restored.supersedes.map((each) => Buffer.from(each, 'hex'));
    await insertSuccessors(tx, [{ accountId, successorId: id, envelopeIds }]);
    return true;
  });
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
