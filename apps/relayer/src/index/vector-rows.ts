import type { SqlValue } from '../base/db/db.ts';
import type { Placeholder } from '../base/db/placeholders.ts';
import { encodeVector } from '../base/db/vector.ts';

export interface EmbeddedChunk {
  /** Position in the text, from 0 */
  no: number;
  vector: Float32Array;
}

export interface VectorInfo {
  model: string;
  keyId: number;
}

/** All columns of `memory_vector`. */
export const vectorColumns =
  'account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code';

/**
 * Condition for the vectors of one or several namespaces; `$1` is the account. The clause about `vector_key_id` is
 * always true, but without it Postgres does not consider the index for this query (migration 0009).
 */
export const vectorsOf = (condition: string): string =>
  `account_id = $1 AND ${condition} AND vector_key_id >= 0`;

/** Appended to a statement with a CTE `job`; `$2` is the model and `$3` the map's key id. */
export const insertVectors = (chunkPlaces: string): string => `
  INSERT INTO memory_vector (${vectorColumns})
  SELECT account_id, namespace, $2, id, chunk.no, $3, chunk.embedding, binary_quantize(chunk.embedding)
  FROM job, (VALUES ${chunkPlaces}) AS chunk (no, embedding)`;

export function chunkParameters(
  chunks: readonly EmbeddedChunk[],
  first: number,
): { placeholders: string; values: SqlValue[] } {
  return {
    placeholders: chunks
      .map((_, i) => `($${first + i * 2}::smallint, $${first + i * 2 + 1}::vector)`)
      .join(', '),
    values: chunks.flatMap(({ no, vector }): SqlValue[] => [no, encodeVector(vector)]),
  };
}

/** For statements about several memories: one `VALUES` row per chunk of a memory, with its id, position and vector. */
export function pieceRows(placeholder: Placeholder, id: string, chunks: readonly EmbeddedChunk[]): string[] {
  return chunks.map(
    ({ no, vector }) =>
      `(${placeholder(id, 'uuid')}, ${placeholder(no, 'smallint')}, ${placeholder(encodeVector(vector), 'vector')})`,
  );
}
