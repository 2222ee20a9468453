import { vectorKeyId } from './account-vectors.ts';
import type { Embedder } from './embedder.ts';

/** The dimension of vectors whose `embedding_model` does not contain it */
const plainDimension = 1536;
const plainKeyId = 1;

/**
 * Identifies vectors that may be compared with each other: same model, dimension and map. Stored with each vector as
 * its `embedding_model`, usually just the model's name. A change of any of the three makes earlier vectors stale, and
 * vectors of different lengths are never compared.
 */
export function vectorSpace(model: string, dimension: number, keyId = vectorKeyId): string {
  const tellsDimension = dimension === plainDimension || model.endsWith(`-${dimension}`);
  return `${model}${tellsDimension ? '' : `@${dimension}`}${keyId === plainKeyId ? '' : `#${keyId}`}`;
}

/** The space of a client's vectors: of the model that the client named, or else the current one. */
export function spaceOf(
  { model, dimension }: Pick<Embedder, 'model' | 'dimension'>,
  named: string | undefined,
): string {
  return named === undefined ? model : vectorSpace(named, dimension);
}
