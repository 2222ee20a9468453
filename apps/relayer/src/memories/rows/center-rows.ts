import type { Db } from '../../base/db/db.ts';
import { encodeVector } from '../../base/db/vector.ts';

/**
 * Parameters: 1 account, 2 ids of the memories, 3 embedding model, 4 vector, 5 other vector. Of a long memory, the chunk
 * that is nearest to the vector counts, as in a search. Each row is looked up by its key.
 */
const productSql = `
  SELECT asked.id, chunk.product FROM unnest($2::text::uuid[]) AS asked (id), LATERAL (
    SELECT -(embedding <#> (SELECT $5::vector::halfvec)) AS product FROM memory_vector
    WHERE account_id = $1 AND memory_id = asked.id AND embedding_model = $3
    ORDER BY embedding <#> (SELECT $4::vector::halfvec) LIMIT 1) AS chunk`;

/** The inner products of `other` with these memories, by their ids. All vectors are mapped with the account's map. */
export async function readProducts(
  db: Db,
  { accountId, model, vector }: { accountId: Buffer; model: string; vector: Float32Array },
  other: Float32Array,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; product: number }>(
    productSql,
    [accountId, `{${ids.join()}}`, model, encodeVector(vector), encodeVector(other)],
    { prepared: true },
  );
  return new Map(rows.map(({ id, product }) => [id, product]));
}
