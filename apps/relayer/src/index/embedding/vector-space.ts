import type { Embedder } from './embedder.ts';
import { vectorKeyId } from './vector-map.ts';

/** Of vectors whose name does not tell it */
const plainDimension = 1536;
const plainKeyId = 1;

/**
 * What vectors that may be compared with each other have in common: the model, its dimension and the map they went
 * through. Stored beside each of them as its `embedding_model`; it is the model's bare name in the usual case. A change of
 * any of the three makes the vectors of before stale, and none is ever compared with one of another length.
 */
export function vectorSpace(model: string, dimension: number, keyId = vectorKeyId): string {
  const tellsDimension = dimension === plainDimension || model.endsWith(`-${dimension}`);
  return `${model}${tellsDimension ? '' : `@${dimension}`}${keyId === plainKeyId ? '' : `#${keyId}`}`;
}

/** Of vectors that a client has made with a model that it names, or with that of today. */
export function spaceOf(
  { model, dimension }: Pick<Embedder, 'model' | 'dimension'>,
  named: string | undefined,
): string {
  return named === undefined ? model : vectorSpace(named, dimension);
}
