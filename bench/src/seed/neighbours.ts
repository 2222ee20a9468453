import type { Client } from 'pg';

export const neighbourTenants = 2_000;
export const neighbourRows = 50;

/**
 * Gives 2,000 other accounts 50 memories each, in a namespace of the same name and with the same vectors as some of the owner's
 * facts. An index that filters by owner after searching would fill its results with them.
 */
export async function addNeighbours(database: Client, namespace: string): Promise<void> {
  const tenants = `generate_series(1, ${neighbourTenants}) AS tenant`;
  await database.query(
    `WITH own AS (SELECT * FROM memory WHERE namespace = $1 AND state = 'done' ORDER BY created_at, id LIMIT ${neighbourRows})
     INSERT INTO memory (account_id, id, namespace, state, blob_id, end_epoch, envelope_id, envelope_sha256, size)
     SELECT sha256(int4send(tenant)), id, namespace, state, blob_id, end_epoch, envelope_id, envelope_sha256, size
     FROM own, ${tenants}`,
    [namespace],
  );
  await database.query(
    `WITH own AS (SELECT * FROM memory_vector WHERE namespace = $1 AND memory_id IN (
       SELECT id FROM memory WHERE namespace = $1 AND account_id = sha256(int4send(1))))
     INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
     SELECT sha256(int4send(tenant)), namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code
     FROM own, ${tenants}`,
    [namespace],
  );
  await database.query('VACUUM ANALYZE memory, memory_vector');
}
