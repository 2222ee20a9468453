import type { Client } from 'pg';
import { measure, type Timing } from '../base/statistics.ts';

/** The exact search of one namespace in SQL, with vectors of its own rows as queries. */
export async function exactSearch(database: Client, namespace: string, limit: number): Promise<Timing> {
  const { rows } = await database.query<{ embedding: string; account_id: Buffer; embedding_model: string }>(
    'SELECT embedding::text, account_id, embedding_model FROM memory_vector WHERE namespace = $1 LIMIT 100',
    [namespace],
  );
  const search = async (i: number): Promise<void> => {
    const { embedding, account_id, embedding_model } = rows[i % rows.length]!;
    await database.query({
      name: 'exact-search',
      text: `SELECT memory_id, embedding <#> (SELECT $4::halfvec) AS distance FROM memory_vector
             WHERE account_id = $1 AND namespace = $2 AND embedding_model = $3 AND vector_key_id >= 0
             ORDER BY distance LIMIT $5`,
      values: [account_id, namespace, embedding_model, embedding, limit],
    });
  };
  await measure(10, 1, search);
  return measure(100, 1, search);
}
