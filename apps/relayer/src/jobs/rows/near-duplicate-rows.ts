import type { Db, SqlValue } from '../../base/db/db.ts';
import { placeholdersIn } from '../../base/db/placeholders.ts';
import { preparedRows } from '../../base/db/row-counts.ts';
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

/** For each of these texts, by its id, the stored memory that is nearest to it; one query for each namespace. */
export async function readNearest(
  db: Db,
  model: string,
  least: number,
  texts: readonly ComparableText[],
): Promise<Map<string, NearDuplicate>> {
  const places = Map.groupBy(
    texts,
    ({ accountId, namespace }) => `${accountId.toString('hex')}/${namespace}`,
  );
  const found = await Promise.all(
    [...places.values()].map((place) => nearestInPlace(db, model, least, place)),
  );
  return new Map(found.flat());
}

/** Columns of `asked` */
const askedTypes = ['uuid', 'vector', '"bit"', 'bigint'];

/** The texts are of one namespace. */
async function nearestInPlace(
  db: Db,
  model: string,
  least: number,
  texts: readonly ComparableText[],
): Promise<[string, NearDuplicate][]> {
  const [{ accountId, namespace, vector: first }] = texts as [ComparableText];
  const values: SqlValue[] = [accountId, namespace, model, mostBits(least, first.length), least];
  const placeholder = placeholdersIn(values);
  const rows = texts.map(({ id, vector, distinctions }): SqlValue[] => [
    id,
    encodeVector(vector),
    // As a value of the row: otherwise the database would compute it again for each vector that it is compared with
    signBits(vector),
    distinctions.toString(),
  ]);
  const size = preparedRows(rows.length);
  while (rows.length < (size ?? 0)) rows.push([]);
  const asked = rows.map(
    (row) => `(${askedTypes.map((type, i) => placeholder(row[i] ?? null, type)).join(', ')})`,
  );
  const { rows: found } = await db.query<{ asked: string; id: string; similarity: number }>(
    `WITH asked AS MATERIALIZED (
       SELECT id, embedding::halfvec AS embedding, code, distinctions
       FROM (VALUES ${asked.join(', ')}) AS given (id, embedding, code, distinctions) WHERE id IS NOT NULL),
     short AS MATERIALIZED (
       SELECT asked.id AS asked, memory_id
       FROM (SELECT memory_id, code FROM memory_vector WHERE ${inPlace} LIMIT ${mostCompared + 1}) AS stored, asked
       WHERE (SELECT count(*) <= ${mostCompared} FROM (
           SELECT 1 FROM memory_vector WHERE ${inPlace} LIMIT ${mostCompared + 1}) AS counted)
         AND stored.code::"bit" <~> asked.code <= $4::int),
     near AS MATERIALIZED (
       SELECT short.*, similarity FROM short JOIN asked ON asked.id = short.asked, LATERAL (
         SELECT -(embedding <#> asked.embedding) AS similarity FROM memory_vector
         WHERE account_id = $1 AND memory_id = short.memory_id AND chunk_no = 0 AND embedding_model = $3
         LIMIT 1) AS whole
       WHERE similarity >= $5::float8)
     SELECT DISTINCT ON (near.asked) near.asked, memory_id AS id, similarity
     FROM near JOIN asked ON asked.id = near.asked, LATERAL (
       SELECT state, distinctions, created_at FROM memory
       WHERE account_id = $1 AND id = near.memory_id LIMIT 1) AS memory
     WHERE memory.distinctions = asked.distinctions AND memory.state IN ('pending', 'done')
       AND memory_id <> asked.id
       AND (SELECT 1 FROM memory_vector WHERE account_id = $1 AND memory_id = near.memory_id
         AND chunk_no = 1 AND embedding_model = $3 LIMIT 1) IS NULL
     ORDER BY near.asked, similarity DESC, memory.created_at`,
    values,
    { prepared: size !== undefined },
  );
  return found.map(({ asked: id, id: nearest, similarity }) => [
    id,
    { id: nearest, similarity: Math.min(1, similarity) },
  ]);
}

/** The first vectors of the memories of the namespace, which one index covers. */
const inPlace =
  'account_id = $1 AND namespace = $2 AND embedding_model = $3 AND chunk_no = 0 AND vector_key_id >= 0';

/**
 * The Hamming distance of the sign bits that vectors with this cosine have at most, save one in a million: each bit
 * differs with the probability angle / π.
 */
function mostBits(cosineOf: number, dimension: number): number {
  const differs = Math.acos(cosineOf) / Math.PI;
  return Math.ceil(dimension * differs + 5 * Math.sqrt(dimension * differs * (1 - differs)));
}
