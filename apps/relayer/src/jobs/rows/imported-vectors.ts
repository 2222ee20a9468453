import type { Db } from '../../base/db/db.ts';
import type { Embedder } from '../../index/embedding/embedder.ts';
import type { ClaimedJob } from './claim-jobs.ts';

/**
 * Returns the vectors that were imported with the texts of these jobs, by job id: mapped, and of the current model. Vectors
 * of other models are ignored.
 */
export async function readImportedVectors(
  db: Db,
  jobs: readonly Pick<ClaimedJob, 'id' | 'importedModel'>[],
  { model, dimension }: Pick<Embedder, 'model' | 'dimension'>,
): Promise<Map<string, Float32Array[]>> {
  const ids = jobs.flatMap(({ id, importedModel }) => (importedModel === model ? [id] : []));
  // Only an import has vectors
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<{ id: string; given_vectors: Buffer }>(
    `SELECT id, given_vectors FROM memory_job
     WHERE id = ANY($1::uuid[]) AND given_model = $2 AND given_vectors IS NOT NULL`,
    [ids, model],
  );
  return new Map(rows.map(({ id, given_vectors }) => [id, split(given_vectors, dimension)]));
}

/** Splits what `mappedVectors` (bare-vectors.ts) joined. */
function split(joined: Buffer, dimension: number): Float32Array[] {
  // A copy: the bytes of a row need not be aligned
  const numbers = new Float32Array(Uint8Array.from(joined).buffer);
  return Array.from({ length: numbers.length / dimension }, (_, i) =>
    numbers.slice(i * dimension, (i + 1) * dimension),
  );
}
