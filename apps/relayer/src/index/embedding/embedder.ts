import { ApiError } from '@memrelay/protocol/errors';
import type { Network } from '@memrelay/protocol/networks';
import type { Centers } from './centers.ts';

/** Turns text into vectors of one fixed dimension. */
export interface Embedder {
  /** The provider's name for the model */
  readonly name: string;
  /** Stored with every vector: search compares only vectors with the same value (vector-space.ts) */
  readonly model: string;
  readonly dimension: number;
  /** Two texts with at least this cosine similarity are near-duplicates */
  readonly nearDuplicate: number;
  /** A memory without a word of the question is a hit only when its similarity is above this */
  readonly minScore: number;
  /** Absent if the similarity alone shows whether two texts are related; else it must be related as well */
  readonly centers?: Centers | undefined;
  /** True for the built-in lexical embedder: responses that use it carry `mock: true` */
  readonly mock: boolean;
  /**
   * One unit vector per text, in order; `accounts[i]` owns `texts[i]`. Throws `EmbeddingError`, or the reason of the
   * signal.
   */
  embed(
    texts: readonly string[],
    accounts: readonly Buffer[],
    options?: EmbedOptions,
  ): Promise<Float32Array[]>;
  /** Ends its connections or its thread; absent if there are none */
  close?(): Promise<void>;
}

export interface EmbedOptions {
  /** Some models embed questions and texts differently. Default: `document` */
  as?: 'query' | 'document';
  signal?: AbortSignal;
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

/**
 * Converts a client's vector. Throws `invalid_request` unless it has `dimension` numbers that fit into 32-bit floats.
 */
export function checkVector(values: readonly number[], dimension: number): Float32Array {
  const vector = Float32Array.from(values);
  const refuse = (message: string): ApiError =>
    new ApiError('invalid_request', { details: { issues: [{ path: 'vector', message }] } });
  if (vector.length !== dimension) throw refuse(`must have ${dimension} numbers`);
  // Finite as JSON, but too large for the 32-bit floats that are stored
  if (!vector.every(Number.isFinite)) throw refuse('must have numbers of at most 3.4e38');
  return vector;
}

/**
 * The built-in lexical embedder may be used on localnet; elsewhere only if `MEM_ALLOW_MOCK_LLM` allows it. The returned
 * function throws `llm_not_configured` if texts cannot be embedded.
 */
export function createRequireEmbedder(
  embedder: Pick<Embedder, 'mock'>,
  { network, embedding }: { network: Network; embedding: { allowMock: boolean } },
): () => void {
  const isAvailable = !embedder.mock || network === 'localnet' || embedding.allowMock;
  return () => {
    if (!isAvailable) throw new ApiError('llm_not_configured');
  };
}
