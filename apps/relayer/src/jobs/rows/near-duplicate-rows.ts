import type { Db, SqlValue } from '../../base/db/db.ts';
import { placeholdersIn } from '../../base/db/placeholders.ts';
import { encodeVector, signBits } from '../../base/db/vector.ts';
import type { IndexData } from '../../index/index-data.ts';

/** An earlier memory of the namespace with nearly the same text. */
export interface NearDuplicate {
  id: string;
  /** Cosine */
  similarity: number;
}

/** A memory that is about to be stored, with the index data of its text. */
export interface NewText {
  id: string;
  accountId: Buffer;
  namespace: string;
  data: IndexData;
}

/** In a larger namespace, comparing each new memory with all is not worth the cost: about a millisecond at this size. */
const mostCompared = 5_000;

/** A text in one piece, with the words that tell it from others */
export type ComparableText = NewText & { vector: Float32Array; distinctions: bigint };

/** For each of these texts, by its id, the stored memory that is nearest to it; one query for all of them. */
export async function readNearest(
  db: Db,
  model: string,
  least: number,
  texts: readonly ComparableText[],
): Promise<Map<string, NearDuplicate>> {
  const values: SqlValue[] = [model, mostBits(least, texts[0]!.vector.length), least];
  const placeholder = placeholdersIn(values);
  const rowOf = ({ id, accountId, namespace, vector, distinctions }: ComparableText): string =>
    `(${[
      placeholder(id, 'uuid'),
      placeholder(accountId, 'bytea'),
      placeholder(namespace, 'text'),
      `${placeholder(encodeVector(vector), 'vector')}::halfvec`,
      // As a value of the row: otherwise the database would compute it again for each vector that it is compared with
      placeholder(signBits(vector), '"bit"'),
      placeholder(distinctions.toString(), 'bigint'),
    ].join(', ')})`;
  const { rows } = await db.query<{ asked: string; id: string; similarity: number }>(
    `WITH asked (id, account_id, namespace, embedding, code, distinctions) AS MATERIALIZED (
       VALUES ${texts.map(rowOf).join(', ')}),
     place AS MATERIALIZED (SELECT DISTINCT account_id, namespace FROM asked),
     stored AS MATERIALIZED (
       SELECT place.*, memory_id, code FROM place CROSS JOIN LATERAL (
         SELECT memory_id, code::"bit" AS code FROM memory_vector
         WHERE account_id = place.account_id AND namespace = place.namespace AND embedding_model = $1 AND chunk_no = 0
           AND vector_key_id >= 0
         LIMIT ${mostCompared + 1}) AS vectors),
     small AS MATERIALIZED (
       SELECT account_id, namespace FROM stored GROUP BY account_id, namespace HAVING count(*) <= ${mostCompared}),
     short AS MATERIALIZED (
       SELECT asked.id AS asked, memory_id
       FROM asked JOIN small USING (account_id, namespace) JOIN stored USING (account_id, namespace)
       WHERE stored.code <~> asked.code <= $2::int),
     near AS MATERIALIZED (
       SELECT short.*, similarity FROM short JOIN asked ON asked.id = short.asked, LATERAL (
         SELECT -(embedding <#> asked.embedding) AS similarity FROM memory_vector
         WHERE account_id = asked.account_id AND memory_id = short.memory_id AND chunk_no = 0 AND embedding_model = $1
         LIMIT 1) AS whole
       WHERE similarity >= $3::float8)
     SELECT DISTINCT ON (near.asked) near.asked, memory_id AS id, similarity
     FROM near JOIN asked ON asked.id = near.asked, LATERAL (
       SELECT state, distinctions, created_at FROM memory
       WHERE account_id = asked.account_id AND id = near.memory_id LIMIT 1) AS memory
     WHERE memory.distinctions = asked.distinctions AND memory.state IN ('pending', 'done')
       AND memory_id <> asked.id
       AND (SELECT 1 FROM memory_vector WHERE account_id = asked.account_id AND memory_id = near.memory_id
         AND chunk_no = 1 AND embedding_model = $1 LIMIT 1) IS NULL
     ORDER BY near.asked, similarity DESC, memory.created_at`,
    values,
  );
  return new Map(
    rows.map(({ asked, id, similarity }) => [asked, { id, similarity: Math.min(1, similarity) }]),
  );
}

/**
 * The Hamming distance of the sign bits that vectors with this cosine have at most, save one in a million: each bit
 * differs with the probability angle / π.
 */
function mostBits(cosineOf: number, dimension: number): number {
  const differs = Math.acos(cosineOf) / Math.PI;
  return Math.ceil(dimension * differs + 5 * Math.sqrt(dimension * differs * (1 - differs)));
}
