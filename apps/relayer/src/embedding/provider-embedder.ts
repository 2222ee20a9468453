import { Pool } from 'undici';
import { z } from 'zod';
import { type Embedder, EmbeddingError, normalize } from './embedder.ts';

const answerSchema = z.object({
  data: z.array(z.object({ index: z.number().int(), embedding: z.union([z.string(), z.array(z.number())]) })),
});

export interface ProviderOptions {
  baseUrl: string;
  apiKey: string;
  model: string;
  dimension: number;
  timeoutMs?: number;
  /** Texts in one call */
  batchSize?: number;
}

/** Models that take a `dimensions` parameter: OpenAI's third generation. */
const shortens = /text-embedding-3/;

/** Embeddings of an OpenAI-compatible provider, in batches, as base64 where the provider gives it. */
export function createProviderEmbedder(options: ProviderOptions): Embedder & { close(): Promise<void> } {
  const base = new URL(options.baseUrl.endsWith('/') ? options.baseUrl : `${options.baseUrl}/`);
  const target = new URL('embeddings', base);
  const pool = new Pool(base.origin, { connections: 16, pipelining: 1 });
  const batchSize = options.batchSize ?? 64;

  async function call(texts: readonly string[]): Promise<Float32Array[]> {
    const response = await pool
      .request({
        method: 'POST',
        path: target.pathname + target.search,
        headers: { authorization: `Bearer ${options.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: options.model,
          input: texts,
          encoding_format: 'base64',
          ...(shortens.test(options.model) ? { dimensions: options.dimension } : {}),
        }),
        headersTimeout: options.timeoutMs ?? 30_000,
        bodyTimeout: options.timeoutMs ?? 30_000,
      })
      .catch((error: Error) => {
        throw new EmbeddingError('transient', 'the embedding provider cannot be reached', { cause: error });
      });
    if (response.statusCode !== 200) {
      await response.body.dump();
      throw new EmbeddingError(
        kindOf(response.statusCode),
        `the embedding provider answered ${response.statusCode}`,
      );
    }
    const parsed = answerSchema.safeParse(await response.body.json().catch(() => undefined));
    if (!parsed.success || parsed.data.data.length !== texts.length)
      throw new EmbeddingError('transient', 'the embedding provider sent an answer of another form');
    const vectors = new Array<Float32Array>(texts.length);
    for (const { index, embedding } of parsed.data.data)
      vectors[index] = decode(embedding, options.dimension);
    for (let index = 0; index < texts.length; index++)
      if (!vectors[index])
        throw new EmbeddingError('transient', `the embedding provider left out text ${index}`);
    return vectors;
  }

  return {
    model: options.model,
    dimension: options.dimension,
    mock: false,
    async embed(texts) {
      const batches: (readonly string[])[] = [];
      for (let i = 0; i < texts.length; i += batchSize) batches.push(texts.slice(i, i + batchSize));
      const answers: Float32Array[][] = [];
      for (const batch of batches) answers.push(await call(batch));
      return answers.flat();
    },
    close: () => pool.close(),
  };
}

/**
 * Only what speaks of the text itself can never succeed. All else passes or is mended by the operator (a wrong key,
 * address, model or dimension), so the memory must wait for it, not fail.
 */
function kindOf(status: number): 'transient' | 'rejected' {
  return [400, 413, 422].includes(status) ? 'rejected' : 'transient';
}

function decode(embedding: string | number[], dimension: number): Float32Array {
  let vector: Float32Array;
  if (typeof embedding === 'string') {
    const bytes = Buffer.from(embedding, 'base64');
    vector = new Float32Array(bytes.byteLength >> 2);
    for (let i = 0; i < vector.length; i++) vector[i] = bytes.readFloatLE(i * 4);
  } else {
    vector = Float32Array.from(embedding);
  }
  if (vector.length !== dimension || !vector.every(Number.isFinite))
    throw new EmbeddingError(
      'transient',
      `the embedding provider sent ${vector.length} dimensions where EMBEDDING_DIM is ${dimension}`,
    );
  return normalize(vector);
}
