import type { Db, SqlValue } from '../../base/db/db.ts';
import { placesIn } from '../../base/db/places.ts';
import { encodeVector, signBits } from '../../base/db/vector.ts';
import type { IndexData } from '../../index/index-data.ts';

/** An earlier memory of the namespace that says nearly the same. */
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

/** In a larger namespace comparing each new memory with all costs more than it tells: about a millisecond at so many. */
const mostCompared = 5_000;

/** A text in one piece, with the words that tell it from others */
type Comparable = NewText & { vector: Float32Array; distinctions: bigint };

/**
 * For each of these texts, by its id, the memory that is nearest to it of those stored before, and of those before it in
 * this list, if its cosine is at least `least` and both have the same numbers and negations. One query for all of them:
 * the sign bits of the namespace, read once, leave those that can be so near, and only their vectors are read. It is
 * written so that a planner that knows nothing of the tables yet has no other way either. Texts of several pieces are left
 * out: no one vector stands for them.
 */
export async function nearDuplicates(
  db: Db,
  model: string,
  least: number,
  texts: readonly NewText[],
): Promise<Map<string, NearDuplicate>> {
  const comparable = texts.flatMap((text): Comparable[] => {
    const { chunks, keywords } = text.data;
    return chunks.length === 1 && keywords
      ? [{ ...text, vector: chunks[0]!.vector, distinctions: keywords.distinctions }]
      : [];
  });
  if (comparable.length === 0) return new Map();
  const found = await storedNear(db, model, least, comparable);
  for (const [i, text] of comparable.entries())
    for (const earlier of comparable.slice(0, i)) {
      const similarity = isComparable(text, earlier) ? cosine(text.vector, earlier.vector) : 0;
      if (similarity >= least && similarity > (found.get(text.id)?.similarity ?? 0))
        found.set(text.id, { id: earlier.id, similarity });
    }
  return found;
}

async function storedNear(
  db: Db,
  model: string,
  least: number,
  texts: readonly Comparable[],
): Promise<Map<string, NearDuplicate>> {
  const values: SqlValue[] = [model, mostBits(least, texts[0]!.vector.length), least];
  const place = placesIn(values);
  const rowOf = ({ id, accountId, namespace, vector, distinctions }: Comparable): string =>
    `(${[
      place(id, 'uuid'),
      place(accountId, 'bytea'),
      place(namespace, 'text'),
      place(encodeVector(vector), 'vector'),
      // As a value of the row: the database would make it anew for each vector that it is compared with
      place(signBits(vector), '"bit"'),
      place(distinctions.toString(), 'bigint'),
    ].join(', ')})`;
  const { rows } = await db.query<{ asked: string; id: string; similarity: number }>(
    `WITH asked (id, account_id, namespace, embedding, code, distinctions) AS MATERIALIZED (
       VALUES ${texts.map(rowOf).join(', ')}),
     place AS MATERIALIZED (SELECT DISTINCT account_id, namespace FROM asked),
     stored AS MATERIALIZED (
       SELECT place.*, memory_id, code FROM place CROSS JOIN LATERAL (
         SELECT memory_id, code::"bit" AS code FROM memory_vector
         WHERE account_id = place.account_id AND namespace = place.namespace AND embedding_model = $1 AND chunk_no = 0
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

function isComparable(one: Comparable, other: Comparable): boolean {
  return (
    one.namespace === other.namespace &&
    one.distinctions === other.distinctions &&
    one.accountId.equals(other.accountId)
  );
}

/** Of unit vectors */
function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i]! * other[i]!;
  return Math.min(1, sum);
}
