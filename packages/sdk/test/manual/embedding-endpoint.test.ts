import { describe, expect, it } from 'vitest';
import { createEmbeddingEndpoint, type EmbeddingOptions } from '../../src/manual/embedding-endpoint.ts';
import { rejection, type ScriptedAnswer, type SeenRequest, startWire } from '../wire-double.ts';

/** Little-endian floats in base64, as providers send them on request. */
const encoded = (...numbers: number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString('base64');

/** Vectors that identify their text: its length and its position in the batch. */
function answerTo({ json }: SeenRequest): ScriptedAnswer {
  const data = (json.input as string[]).map((text, index) => ({
    index,
    embedding: encoded(text.length, index),
  }));
  // A provider may answer in any order
  return { json: { data: data.reverse() } };
}

function endpointAt(url: string, options: Partial<EmbeddingOptions> = {}) {
  return createEmbeddingEndpoint({ baseUrl: `${url}/v1/`, apiKey: 'sk-1', model: 'm', ...options });
}

describe('the embedding provider', () => {
  it('is called in batches with base64 encoding, and vectors keep the order of the texts', async () => {
    await using wire = await startWire(answerTo);
    const texts = ['a', 'bb', 'ccc', 'dddd', 'eeeee'];
    const vectors = await endpointAt(wire.url, { batchSize: 2 }).embed(texts, 2, undefined);
    expect(vectors.map(([length]) => length)).toEqual([1, 2, 3, 4, 5]);
    expect(wire.seen.map(({ path }) => path)).toEqual(new Array(3).fill('/v1/embeddings'));
    for (const { json, headers } of wire.seen) {
      expect(json).toMatchObject({ model: 'm', encoding_format: 'base64' });
      expect(json).not.toHaveProperty('dimensions');
      expect(headers.authorization).toBe('Bearer sk-1');
    }
  });

  it('gets the dimension if its model can shorten vectors, and no key if there is none', async () => {
    await using wire = await startWire(answerTo);
    await endpointAt(wire.url, { model: undefined, apiKey: undefined }).embed(['x'], 2, undefined);
    expect(wire.seen[0]!.json).toMatchObject({ model: 'text-embedding-3-small', dimensions: 2 });
    expect(wire.seen[0]!.headers).not.toHaveProperty('authorization');
  });

  it('may return numbers', async () => {
    await using wire = await startWire([{ json: { data: [{ index: 0, embedding: [0.5, -1] }] } }]);
    expect(await endpointAt(wire.url).embed(['x'], 2, undefined)).toEqual([Float32Array.of(0.5, -1)]);
  });

  it('is retried after the delay that it requests', async () => {
    await using wire = await startWire((request, number) =>
      number === 1 ? { status: 429, headers: { 'retry-after': '1' } } : answerTo(request),
    );
    expect(await endpointAt(wire.url).embed(['x'], 2, undefined)).toHaveLength(1);
    expect(wire.seen[1]!.at - wire.seen[0]!.at).toBeGreaterThanOrEqual(990);
  });

  it.each<[string, ScriptedAnswer, string]>([
    ['a dropped connection', 'drop', 'embedding_unavailable'],
    ['no JSON', { text: 'oops' }, 'embedding_unavailable'],
    ['an error of its own', { status: 500 }, 'embedding_unavailable'],
    ['fewer vectors', { json: { data: [] } }, 'embedding_unavailable'],
    ['half a number', { json: { data: [{ index: 0, embedding: 'AAA' }] } }, 'embedding_mismatch'],
    [
      'what is no number',
      { json: { data: [{ index: 0, embedding: encoded(Number.NaN, 1) }] } },
      'embedding_unavailable',
    ],
    [
      'vectors of another length',
      { json: { data: [{ index: 0, embedding: encoded(1, 2, 3) }] } },
      'embedding_mismatch',
    ],
    ['a refusal of the key', { status: 401 }, 'embedding_rejected'],
    ['a refusal of the text', { status: 400, text: 'the text "secret" is bad' }, 'embedding_rejected'],
  ])('with %s fails with a code and without quoting the text', async (_what, answer, code) => {
    await using wire = await startWire([answer]);
    const failed = await rejection(
      endpointAt(wire.url, { maxAttempts: 1 }).embed(['my secret'], 2, undefined),
    );
    expect(failed).toMatchObject({ code });
    expect(failed.message).not.toMatch(/secret|sk-1/);
  });

  it('is not retried after a rejection', async () => {
    await using wire = await startWire([{ status: 401 }]);
    await rejection(endpointAt(wire.url).embed(['x'], 2, undefined));
    expect(wire.seen).toHaveLength(1);
  });

  it('is not followed on redirects, which would send the key elsewhere', async () => {
    await using other = await startWire(answerTo);
    await using wire = await startWire([
      { status: 307, headers: { location: `${other.url}/v1/embeddings` } },
    ]);
    const failed = await rejection(endpointAt(wire.url, { maxAttempts: 1 }).embed(['x'], 2, undefined));
    expect(failed).toMatchObject({ code: 'embedding_unavailable' });
    expect(other.seen).toEqual([]);
  });

  it('times out after the limits of call and attempt', async () => {
    await using wire = await startWire(['silence']);
    const controller = new AbortController();
    const waiting = endpointAt(wire.url).embed(['x'], 2, controller.signal);
    await wire.requests(1);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    const failed = await rejection(
      endpointAt(wire.url, { timeoutMs: 50, maxAttempts: 1 }).embed(['x'], 2, undefined),
    );
    expect(failed).toMatchObject({ code: 'embedding_unavailable', retryable: true });
  });

  it.each(['nowhere', 'ftp://host/v1', 'https://user@host/v1'])('cannot be at %s', (baseUrl) => {
    expect(() => createEmbeddingEndpoint({ baseUrl })).toThrow('embedding.baseUrl');
  });
});
