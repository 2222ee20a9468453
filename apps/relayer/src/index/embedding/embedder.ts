/** Turns text into vectors of one fixed dimension. */
export interface Embedder {
  /** As its provider calls it */
  readonly name: string;
  /** Stored with every vector: search compares only vectors of the same one (vector-space.ts) */
  readonly model: string;
  readonly dimension: number;
  /** From this cosine on two of its texts say nearly the same */
  readonly nearDuplicate: number;
  /** A memory without a word of the question is a hit only when its similarity is above this */
  readonly minScore: number;
  /** True for the built-in lexical embedder: answers that rest on it carry `mock: true` */
  readonly mock: boolean;
  /** One unit vector per text, in order; `accounts` are whose they are. Throws `EmbeddingError`. */
  embed(texts: readonly string[], accounts: readonly Buffer[]): Promise<Float32Array[]>;
}

/** `transient`: the same call may succeed later. `rejected`: it never will. */
export class EmbeddingError extends Error {
  override name = 'EmbeddingError';
  readonly kind: 'transient' | 'rejected';
  constructor(kind: 'transient' | 'rejected', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Scales to length 1, so that cosine distance is `1 − inner product`. A zero vector stays zero. */
export function normalize(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) return vector;
  const scale = 1 / Math.sqrt(sum);
  for (let i = 0; i < vector.length; i++) vector[i]! *= scale;
  return vector;
}
