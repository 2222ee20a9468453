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

/** That of vectors which a client has made with a model of its own; of the relayer's where it names none. */
export function spaceOf({ model, dimension }: Embedder, named: string | undefined): string {
  return named === undefined ? model : vectorSpace(named, dimension);
}
