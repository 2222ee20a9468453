import { z } from 'zod';
import {
  createProviderClient,
  ProviderError,
  type ReportedTokens,
} from '../../base/provider/provider-client.ts';
import { type Embedder, EmbeddingError, type EmbedOptions, normalize } from './embedder.ts';
import { type Prefixes, withPrefixes } from './prefixes.ts';
import { vectorSpace } from './vector-space.ts';

const answerSchema = z.object({
  data: z.array(z.object({ index: z.number().int(), embedding: z.union([z.string(), z.array(z.number())]) })),
  usage: z
    .object({ prompt_tokens: z.number().int().min(0) })
    .optional()
    .catch(undefined),
});

export interface ProviderOptions {
  baseUrl: string;
  /** Undefined: calls have no `authorization` header */
  apiKey: string | undefined;
  model: string;
  dimension: number;
  prefixes?: Prefixes | undefined;
  timeoutMs?: number;
  /** Texts per call */
  batchSize?: number;
  /** Called with what the provider reports for each call */
  onTokens?: ((tokens: ReportedTokens) => void) | undefined;
}

/** Larger than 64 vectors of 16,000 numbers as decimal text */
const maxAnswerBytes = 32 * 1024 * 1024;

/**
 * Not measured, because models differ and none was available. Chosen high, because models also give a high similarity
 * to texts that only share a subject.
 */
const nearDuplicate = 0.93;

/**
 * For OpenAI's models, which were not available here: at most the similarity of unrelated questions and texts in
 * published measurements (0.08 with 3-large, 0.2 with 3-small, 0.71 to 0.73 with ada-002). For MiniLM: measured, the
 * least similar of 184 answers had 0.116. For unknown models 0, which excludes only opposites.
 */
const minScores: Readonly<Record<string, number>> = {
  'text-embedding-3-small': 0.1,
  'text-embedding-3-large': 0.08,
  'text-embedding-ada-002': 0.7,
  'all-MiniLM-L6-v2': 0.1,
};

/** Models that take a `dimensions` parameter: OpenAI's third generation. */
const shortens = /text-embedding-3/;

/** Embeddings from an OpenAI-compatible provider, in batches, as base64 if the provider supports it. */
export function createProviderEmbedder(options: ProviderOptions): Embedder & { close(): Promise<void> } {
  const client = createProviderClient(options);
  const batchSize = options.batchSize ?? 64;
  const { prefixes = {} } = options;

  async function call(
    texts: readonly string[],
    { as = 'document', signal }: EmbedOptions,
  ): Promise<Float32Array[]> {
    const isQuery = as === 'query';
    const prefix = (isQuery ? prefixes.queryPrefix : prefixes.documentPrefix) ?? '';
    const inputType = isQuery ? prefixes.queryInputType : prefixes.documentInputType;
    const body = {
      model: options.model,
      input: prefix === '' ? texts : texts.map((text) => prefix + text),
      ...(inputType ? { input_type: inputType } : {}),
      encoding_format: 'base64',
      ...(shortens.test(options.model) ? { dimensions: options.dimension } : {}),
    };
    const answer = await client
      .post('embeddings', body, { timeoutMs: options.timeoutMs ?? 30_000, maxBytes: maxAnswerBytes, signal })
      .catch((cause: unknown) => {
        if (!(cause instanceof ProviderError)) throw cause;
        throw new EmbeddingError(kindOf(cause), `embedding: ${cause.message}`, { cause });
      });
    const parsed = answerSchema.safeParse(answer);
    if (!parsed.success || parsed.data.data.length !== texts.length)
      throw new EmbeddingError('transient', 'the embedding provider returned a malformed response');
    if (parsed.data.usage) options.onTokens?.(parsed.data.usage);
    const vectors = new Array<Float32Array>(texts.length);
    for (const { index, embedding } of parsed.data.data)
      vectors[index] = decode(embedding, options.dimension);
    for (let index = 0; index < texts.length; index++)
      if (!vectors[index])
        throw new EmbeddingError('transient', `the embedding provider left out text ${index}`);
    return vectors;
  }

  const name = withPrefixes(options.model, prefixes);
  return {
    name,
    model: vectorSpace(name, options.dimension),
    dimension: options.dimension,
    nearDuplicate,
    // Some providers add their name as a prefix: openai/text-embedding-3-small
    minScore: minScores[options.model.split('/').at(-1)!] ?? 0,
    mock: false,
    async embed(texts, _accounts, embedOptions = {}) {
      const batches: (readonly string[])[] = [];
      for (let i = 0; i < texts.length; i += batchSize) batches.push(texts.slice(i, i + batchSize));
      const answers: Float32Array[][] = [];
      for (const batch of batches) answers.push(await call(batch, embedOptions));
      return answers.flat();
    },
    close: () => client.close(),
  };
}

/**
 * Only errors about the text itself are final. All others are temporary or fixed by the operator (a wrong key, address,
 * model or dimension), so the memory must wait instead of failing.
 */
function kindOf({ status }: ProviderError): 'transient' | 'rejected' {
  return status !== undefined && [400, 413, 422].includes(status) ? 'rejected' : 'transient';
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
