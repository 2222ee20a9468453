import type { ReindexFailure } from '@memrelay/protocol/reindex';
import { tokenizerVersion } from '@memrelay/text-index/words/terms';
import type { Db, Queryable, SqlValue } from '../../base/db/db.ts';
import { placeholdersIn } from '../../base/db/placeholders.ts';
import type { IndexData } from '../../index/index-data.ts';
import { addKeywords, keywordColumns } from '../../index/keyword-columns.ts';
import { pieceRows, vectorColumns, vectorsOf } from '../../index/vector-rows.ts';
import { type MemoryColumns, memoryFields } from '../../jobs/rows/memory-fields.ts';

/** Memories whose vectors are not of the relayer's current model, or whose keywords are not of its current tokenizer. */

export interface StaleNamespace {
  accountId: Buffer;
  namespace: string;
  /** The current model */
  model: string;
}

const hasCurrentVector = (id: string): string => `
  EXISTS (SELECT 1 FROM memory_vector WHERE account_id = $1 AND memory_id = ${id} AND embedding_model = $3)`;

/**
 * Memories whose vectors are all of other models, or whose keywords are of another tokenizer. Memories that a client
 * encrypted are not counted: only the client can embed them, and they have no keywords. Parameters: 1 account, 3 model.
 */
const isStale = (id: string): string => `
  EXISTS (
    SELECT 1 FROM memory WHERE account_id = $1 AND id = ${id} AND state IN ('pending', 'done')
      AND (token_version <> ${tokenizerVersion} OR NOT ${hasCurrentVector(id)}))
  AND NOT EXISTS (
    SELECT 1 FROM unembedded_memory WHERE account_id = $1 AND memory_id = ${id} AND reason = 'client_encrypted')`;

/**
 * Scans both indexes on both sides of the current value, so that the cost depends on the number of vectors of other
 * models and of entries of other tokenizers.
 */
const outdated = (namespace: string): string => `
  SELECT memory_id FROM memory_vector WHERE ${vectorsOf(`namespace = ${namespace} AND embedding_model < $3`)}
  UNION
  SELECT memory_id FROM memory_vector WHERE ${vectorsOf(`namespace = ${namespace} AND embedding_model > $3`)}
  UNION
  SELECT id FROM memory WHERE account_id = $1 AND namespace = ${namespace} AND token_version < ${tokenizerVersion}
  UNION
  SELECT id FROM memory WHERE account_id = $1 AND namespace = ${namespace} AND token_version > ${tokenizerVersion}`;

/** Number in one namespace (`$2`), as a part of another statement. */
export const staleInNamespace = `(
  SELECT count(*)::int FROM (${outdated('$2')}) AS other WHERE ${isStale('other.memory_id')})`;

/** Number in these namespaces. */
export async function countStale(
  db: Db,
  accountId: Buffer,
  namespaces: readonly string[],
  model: string,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM unnest($2::text[]) AS name, LATERAL (${outdated('name')}) AS other
     WHERE ${isStale('other.memory_id')}`,
    [accountId, [...namespaces], model],
  );
  return rows[0]!.count;
}

/** A memory to re-embed. */
export interface StaleMemory {
  id: string;
  blobId: string | undefined;
  envelopeId: Buffer | undefined;
  envelopeSha256: Buffer;
  createdAt: Date;
  /** Bytes of the envelope */
  size: number;
  /** It has vectors of the current model: only its keywords are outdated */
  embedded: boolean;
}

/**
 * Returns the next stale memories after the id `after`, in the order of their ids, so that a pass visits each once.
 * `exceptTried` leaves out those that failed with this model in the last hour.
 */
export async function nextStale(
  db: Db,
  { accountId, namespace, model }: StaleNamespace,
  { after, exceptTried, limit }: { after: string; exceptTried: boolean; limit: number },
): Promise<StaleMemory[]> {
  const { rows } = await db.query<
    MemoryColumns<'id' | 'blob_id' | 'envelope_id' | 'envelope_sha256' | 'created_at' | 'size'> & {
      embedded: boolean;
    }
  >(
    `SELECT id, blob_id, envelope_id, envelope_sha256, created_at, size, ${hasCurrentVector('other.memory_id')} AS embedded
     FROM (${outdated('$2')}) AS other JOIN memory ON memory.account_id = $1 AND memory.id = other.memory_id
     WHERE memory_id > $4::uuid AND ${isStale('other.memory_id')}
       AND NOT ($5 AND EXISTS (
         SELECT 1 FROM unembedded_memory WHERE account_id = $1 AND memory_id = other.memory_id
           AND embedding_model = $3 AND tried_at > now() - interval '1 hour'))
     ORDER BY id LIMIT $6`,
    [accountId, namespace, model, after, exceptTried, limit],
  );
  return rows.map((row) => ({ ...memoryFields(row), embedded: row.embedded }));
}

export async function saveUnembedded(
  db: Db,
  { accountId, model }: StaleNamespace,
  failures: readonly { id: string; reason: ReindexFailure }[],
): Promise<void> {
  if (failures.length === 0) return;
  await db.query(
    `INSERT INTO unembedded_memory (account_id, memory_id, embedding_model, reason)
     SELECT $1, memory.id, $2, failed.reason
     FROM unnest($3::uuid[], $4::text[]) AS failed (id, reason)
       JOIN memory ON memory.account_id = $1 AND memory.id = failed.id
     ON CONFLICT (account_id, memory_id) DO UPDATE
       SET embedding_model = excluded.embedding_model, reason = excluded.reason, tried_at = now()`,
    [accountId, model, failures.map(({ id }) => id), failures.map(({ reason }) => reason)],
  );
}

/** A memory with its new index data. */
export interface Reindexed {
  id: string;
  data: IndexData;
}

/**
 * Replaces the vectors and keywords of memories in one statement, if the lease is held. Returns the ids of the memories
 * that exist, or undefined, without writing anything, if the lease was lost. It locks the rows of the memories, so that
 * a memory that is being forgotten gets no vectors.
 */
export async function saveReindexed(
  db: Queryable,
  { accountId, namespace, model }: StaleNamespace,
  leaseToken: string,
  reindexed: readonly Reindexed[],
): Promise<string[] | undefined> {
  const values: SqlValue[] = [accountId, namespace, model, leaseToken, reindexed[0]!.data.info.keyId];
  const placeholder = placeholdersIn(values);
  const words = reindexed.map(
    ({ id, data }) => `(${placeholder(id, 'uuid')}, ${addKeywords(values, data.keywords)})`,
  );
  const chunks = reindexed.flatMap(({ id, data }) => pieceRows(placeholder, id, data.chunks));
  const { rows } = await db.query<{ held: boolean; ids: string[] | null }>(
    `WITH held AS MATERIALIZED (
       SELECT 1 FROM reindex_lease
       WHERE account_id = $1 AND namespace = $2 AND lease_token = $4 AND lease_until > now() FOR UPDATE),
     there AS (
       UPDATE memory SET (${keywordColumns}) = (word.tokens, word.twice, word.often, word.length, word.distinctions,
         word.version)
       FROM (VALUES ${words.join(', ')}) AS word (id, tokens, twice, often, length, distinctions, version)
       WHERE account_id = $1 AND namespace = $2 AND memory.id = word.id AND state IN ('pending', 'done')
         AND EXISTS (SELECT 1 FROM held)
       RETURNING memory.id),
     old AS (
       DELETE FROM memory_vector USING there
       WHERE account_id = $1 AND memory_id = there.id AND embedding_model <> $3),
     noted AS (
       DELETE FROM unembedded_memory USING there WHERE account_id = $1 AND memory_id = there.id),
     fresh AS (
       INSERT INTO memory_vector (${vectorColumns})
       SELECT $1, $2, $3, there.id, chunk.no, $5, chunk.embedding, binary_quantize(chunk.embedding)
       FROM there JOIN (VALUES ${chunks.join(', ')}) AS chunk (id, no, embedding) ON chunk.id = there.id
       ON CONFLICT DO NOTHING)
     SELECT EXISTS (SELECT 1 FROM held) AS held, (SELECT array_agg(id::text) FROM there) AS ids`,
    values,
  );
  return rows[0]!.held ? (rows[0]!.ids ?? []) : undefined;
}
