import { chunksOf } from '../chunks.ts';
import { withTimeout } from '../wire/abort.ts';
import { MemRelayError } from '../wire/errors.ts';
import { type RetryPolicy, retryAfterMs, withRetries } from '../wire/retry.ts';
import { mapBounded } from './bounded.ts';

/** An OpenAI-compatible embedding provider, the only service that sees texts and questions. */
export interface EmbeddingOptions {
  /** Including the version, such as `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1` */
  baseUrl: string;
  /** Sent only to `baseUrl`; omit it if the provider needs none */
  apiKey?: string | undefined;
  /** Default `text-embedding-3-small` */
  model?: string | undefined;
  /** Numbers per vector; defaults to the relayer's EMBEDDING_DIM */
  dimension?: number | undefined;
  /** Allow searching although the relayer embeds with another model; memories that it embedded are then not found */
  allowOtherModel?: boolean | undefined;
  /** Texts per call; default 64 */
  batchSize?: number | undefined;
  /** One attempt; default 30,000 ms */
  timeoutMs?: number | undefined;
  /** One call with its retries; default 90,000 ms */
  deadlineMs?: number | undefined;
  /** Default 4 */
  maxAttempts?: number | undefined;
  /** Replaces the global `fetch` */
  fetch?: typeof fetch | undefined;
}

/** Vectors of texts, in order. */
export interface EmbeddingEndpoint {
  readonly model: string;
  /** Throws `MemRelayError` `embedding_unavailable`, `embedding_rejected`, `embedding_mismatch`. */
  embed(
    texts: readonly string[],
    dimension: number,
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]>;
}

const defaultModel = 'text-embedding-3-small';
const callsAtOnce = 4;
/** Models that can shorten their vectors: OpenAI's third generation. */
const shortens = /text-embedding-3/;

/** Throws `invalid_argument`. */
export function createEmbeddingEndpoint(options: EmbeddingOptions): EmbeddingEndpoint {
  const url = endpointOf(options.baseUrl);
  const model = options.model ?? defaultModel;
  const send = options.fetch ?? ((input: string, init: RequestInit) => fetch(input, init));
  const policy: RetryPolicy = {
    timeoutMs: options.timeoutMs ?? 30_000,
    deadlineMs: options.deadlineMs ?? 90_000,
    maxAttempts: options.maxAttempts ?? 4,
  };

  async function attempt(body: string, signal: AbortSignal): Promise<unknown> {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (options.apiKey) headers.authorization = `Bearer ${options.apiKey}`;
    let response: Response;
    let text: string;
    try {
      // A redirect would send text and key to a host that the caller did not choose
      const init = { method: 'POST', headers, body, signal, redirect: 'error', credentials: 'omit' } as const;
      response = await send(url.href, init);
      text = await response.text();
    } catch (cause) {
      throw unavailable(`${url.host} cannot be reached`, { cause });
    }
    if (!response.ok) throw refusal(url.host, response);
    try {
      return JSON.parse(text);
    } catch {
      throw unavailable(`${url.host} returned no JSON`);
    }
  }

  return {
    model,
    async embed(texts, dimension, signal) {
      const batches = chunksOf(texts, options.batchSize ?? 64);
      const answers = await mapBounded(batches, callsAtOnce, async (batch) => {
        const body = JSON.stringify({
          model,
          input: batch,
          encoding_format: 'base64',
          ...(shortens.test(model) ? { dimensions: dimension } : {}),
        });
        const answer = await withRetries(
          (timeoutMs) =>
            withTimeout(
              (inner) => attempt(body, inner),
              timeoutMs,
              () => unavailable(`${url.host} did not respond within ${Math.round(timeoutMs)} ms`),
              signal,
            ),
          policy,
          signal,
        );
        return vectorsOf(answer, batch.length, dimension, url.host);
      });
      return answers.flat();
    },
  };
}

function endpointOf(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.hash)
    throw new MemRelayError(
      'invalid_argument',
      'embedding.baseUrl must be the base URL of an OpenAI-compatible provider, such as https://api.openai.com/v1.',
    );
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`;
  return url;
}

function unavailable(reason: string, more: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
  return new MemRelayError(
    'embedding_unavailable',
    `The embedding provider returned no vectors: ${reason}. Nothing was sent to the relayer; the same call may succeed later.`,
    { retryable: true, ...more },
  );
}

/** Errors caused by the request itself are not retried. */
function refusal(host: string, { status, headers }: Response): MemRelayError {
  if ([408, 425, 429].includes(status) || status >= 500)
    return unavailable(`${host} returned status ${status}`, {
      retryAfterMs: retryAfterMs(headers.get('retry-after')),
    });
  const advice =
    status === 401 || status === 403
      ? 'Check embedding.apiKey.'
      : status === 404
        ? 'Check embedding.baseUrl and embedding.model.'
        : 'Check embedding.model, and that it accepts texts of this length.';
  return new MemRelayError(
    'embedding_rejected',
    `${host} rejected the texts with status ${status}. ${advice}`,
    {
      status,
    },
  );
}

function vectorsOf(answer: unknown, count: number, dimension: number, host: string): Float32Array[] {
  const { data } = (answer ?? {}) as { data?: { index?: unknown; embedding?: unknown }[] };
  if (!Array.isArray(data) || data.length !== count)
    throw unavailable(`${host} returned a wrong number of vectors`);
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const { index, embedding } of data) vectors[Number(index)] = numbersOf(embedding);
  return vectors.map((vector) => {
    if (!vector?.every(Number.isFinite)) throw unavailable(`${host} returned no vector for a text`);
    if (vector.length !== dimension)
      throw new MemRelayError(
        'embedding_mismatch',
        `${host} returns vectors of ${vector.length} numbers, but the relayer expects ${dimension}. Choose an embedding.model with ${dimension}, or a relayer whose EMBEDDING_DIM is ${vector.length}.`,
      );
    return vector;
  });
}

/** A vector as numbers, or as base64 of little-endian 32-bit floats, which is a third of the size. */
function numbersOf(embedding: unknown): Float32Array | undefined {
  if (Array.isArray(embedding)) return Float32Array.from(embedding as number[]);
  if (typeof embedding !== 'string') return undefined;
  try {
    const bytes = Uint8Array.from(atob(embedding), (character) => character.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    return Float32Array.from({ length: bytes.length >> 2 }, (_, i) => view.getFloat32(i * 4, true));
  } catch {
    return undefined;
  }
}
