import type { Db } from '../../base/db/db.ts';

export interface StoredVector {
  memoryId: string;
  /** The keyed map that was applied; 0 = none */
  vectorKeyId: number;
  /** Encoded for `decodeVector` */
  bytes: Buffer;
}

/** Reads the vectors of these memories for one model, in the order of their chunks. */
export async function readStoredVectors(
  db: Db,
  accountId: Buffer,
  ids: readonly string[],
  model: string,
): Promise<StoredVector[]> {
  const { rows } = await db.query<{ memory_id: string; vector_key_id: number; embedding: Buffer }>(
    `SELECT memory_id, vector_key_id, vector_send(embedding::vector) AS embedding FROM memory_vector
     WHERE account_id = $1 AND memory_id = ANY($2::uuid[]) AND embedding_model = $3 ORDER BY memory_id, chunk_no`,
    [accountId, [...ids], model],
  );
  return rows.map(({ memory_id, vector_key_id, embedding }) => ({
    memoryId: memory_id,
    vectorKeyId: vector_key_id,
    bytes: embedding,
  }));
}
