import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { embeddingChunks } from '@memrelay/protocol/embedding-chunks';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { accountMap } from '../../src/index/embedding/account-vectors.ts';
import { EmbeddingError, normalize } from '../../src/index/embedding/embedder.ts';
import { createLexicalEmbedder, lexicalVector } from '../../src/index/embedding/lexical-embedder.ts';
import { createProviderEmbedder } from '../../src/index/embedding/provider-embedder.ts';

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

describe('the lexical embedder', () => {
  const near = (a: string, b: string) => dot(lexicalVector(a, 1536, 'key'), lexicalVector(b, 1536, 'key'));

  test('returns unit vectors, the same for the same text', () => {
    const vector = lexicalVector('The cat sat on the mat', 1536, 'key');
    expect(dot(vector, vector)).toBeCloseTo(1, 5);
    expect(lexicalVector('The cat sat on the mat', 1536, 'key')).toEqual(vector);
  });

  test('places a question closer to its answer than to other texts', () => {
    const question = 'Where does Maria work as a painter?';
    const answer = near(question, 'Maria painted murals for her work in Lisbon');
    for (const other of ['The train leaves at nine', 'He likes his coffee black', 'Where is it?'])
      expect(answer).toBeGreaterThan(near(question, other) + 0.1);
  });

  test('maps the same words elsewhere for another account', async () => {
    const embedder = createLexicalEmbedder(1536, (accountId) => accountId);
    const [one, again, other] = await embedder.embed(
      ['Maria painted murals', 'Maria painted murals', 'Maria painted murals'],
      [Buffer.alloc(32, 1), Buffer.alloc(32, 1), Buffer.alloc(32, 2)],
    );
    expect(again).toEqual(one);
    expect(Math.abs(dot(one!, other!))).toBeLessThan(0.2);
  });

  test('supports other scripts, names and numbers', () => {
    expect(near('Когда Анна купила дом?', 'Анна купила новый дом')).toBeGreaterThan(0.3);
    expect(near('order 48213', 'the parcel for order 48213 came')).toBeGreaterThan(0.3);
  });
});

describe('the vector map', () => {
  const key = Buffer.alloc(32, 7);
  test.each([8, 64, 100, 384, 768, 1000, 1536, 3072])(
    'preserves inner products at %i dimensions',
    (dimension) => {
      const map = accountMap(key, dimension);
      const random = () => normalize(Float32Array.from({ length: dimension }, () => Math.random() - 0.5));
      const [a, b] = [random(), random()];
      expect(dot(map.apply(a), map.apply(b))).toBeCloseTo(dot(a, b), 4);
      expect(dot(map.apply(a), map.apply(a))).toBeCloseTo(1, 4);
    },
  );

  test('is always the same for a key, and different for another key', () => {
    const vector = normalize(Float32Array.from({ length: 1536 }, (_, i) => Math.sin(i)));
    const mapped = accountMap(key, 1536).apply(vector);
    expect(accountMap(key, 1536).apply(vector)).toEqual(mapped);
    expect(Math.abs(dot(accountMap(Buffer.alloc(32, 8), 1536).apply(vector), mapped))).toBeLessThan(0.2);
    expect([...mapped.subarray(0, 3)].map((value) => value.toFixed(6))).toMatchInlineSnapshot(`
      [
        "0.000859",
        "0.014171",
        "-0.015768",
      ]
    `);
  });

  test('spreads a vector with few coordinates over all of them', () => {
    const mapped = accountMap(key, 1536).apply(lexicalVector('tea', 1536, 'key'));
    const largest = Math.max(...mapped.map(Math.abs));
    expect(largest).toBeLessThan(0.2);
  });
});

describe('chunks of long texts', () => {
  test('leaves short texts whole', () => expect(embeddingChunks('short')).toEqual(['short']));

  test('covers every part of a long text, keeps each chunk within the limit, and splits no character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), { minLength: 1 }),
        (words) => {
          // Numbered, so that each chunk is in the text at one place only
          const text = Array.from({ length: 1_500 }, (_, i) => `${i}:${words[i % words.length]}`).join(' ');
          const chunks = embeddingChunks(text);
          let covered = 0;
          for (const chunk of chunks) {
            expect(Buffer.byteLength(chunk)).toBeLessThanOrEqual(4_500);
            // A split character would become U+FFFD, and would not be found in the text
            const at = text.indexOf(chunk);
            expect(at).toBeGreaterThanOrEqual(0);
            expect(at).toBeLessThanOrEqual(covered);
            covered = at + chunk.length;
          }
          expect(covered).toBe(text.length);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('the provider embedder', () => {
  let server: Server | undefined;
  afterEach(() => new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined))));

  async function provider(answer: (body: { input: string[] }) => { status?: number; body: unknown }) {
    const calls: { input: string[]; dimensions?: number }[] = [];
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(parts).toString());
        calls.push(body);
        const { status = 200, body: reply } = answer(body);
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
      });
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const embedder = createProviderEmbedder({
      baseUrl: `http://127.0.0.1:${port}/v1`,
      apiKey: 'test',
      model: 'text-embedding-3-small',
      dimension: 8,
      batchSize: 2,
    });
    return { embedder, calls };
  }
  const base64 = (values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64');

  test('sends batches, accepts base64 and numbers in any order, and returns unit vectors', async () => {
    const { embedder, calls } = await provider(({ input }) => ({
      body: {
        data: input
          .map((text, index) => {
            const values = [text.length, 0, 0, 0, 0, 0, 0, 1];
            return { index, embedding: index === 0 ? base64(values) : values };
          })
          .reverse(),
      },
    }));
    const vectors = await embedder.embed(['a', 'bb', 'ccc'], []);
    expect(calls.map((call) => call.input)).toEqual([['a', 'bb'], ['ccc']]);
    expect(calls[0]!.dimensions).toBe(8);
    expect(vectors.map((vector) => Math.round(vector[0]! / vector[7]!))).toEqual([1, 2, 3]);
    for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 5);
    await embedder.close();
  });

  test.each([
    [429, 'transient'],
    [500, 'transient'],
    [401, 'transient'],
    [404, 'transient'],
    [302, 'transient'],
    [400, 'rejected'],
    [413, 'rejected'],
  ])('maps status %i to %s', async (status, kind) => {
    const { embedder } = await provider(() => ({
      status,
      body: { error: { message: 'secret upstream text' } },
    }));
    const error = await embedder.embed(['a'], []).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(EmbeddingError);
    expect(error).toMatchObject({ kind });
    expect((error as Error).message).not.toContain('secret upstream text');
    await embedder.close();
  });

  test('retries after a response with another structure or dimension, or without a response: the text is not at fault', async () => {
    const { embedder } = await provider(({ input }) =>
      input[0] === 'short' ? { body: { data: [{ index: 0, embedding: [1, 2] }] } } : { body: { error: 'x' } },
    );
    await expect(embedder.embed(['a'], [])).rejects.toMatchObject({ kind: 'transient' });
    await expect(embedder.embed(['short'], [])).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('EMBEDDING_DIM'),
    });
    await new Promise((resolve) => server!.close(resolve).closeAllConnections());
    server = undefined;
    await expect(embedder.embed(['a'], [])).rejects.toMatchObject({ kind: 'transient' });
    await embedder.close();
  });

  test('sends prefixes and input types by role, and no authorization without a key', async () => {
    const { embedder: plain } = await provider(() => ({ body: {} }));
    const calls: { body: Record<string, unknown>; authorization: string | undefined }[] = [];
    await plain.close();
    await new Promise((resolve) => server!.close(resolve).closeAllConnections());
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (part) => {
        text += part;
      });
      request.on('end', () => {
        calls.push({ body: JSON.parse(text), authorization: request.headers.authorization });
        response.end(JSON.stringify({ data: [{ index: 0, embedding: [1, 0, 0, 0, 0, 0, 0, 0] }] }));
      });
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const options = {
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      apiKey: undefined,
      model: 'some-model',
      dimension: 8,
    };
    const prefixes = {
      queryPrefix: 'q: ',
      documentPrefix: 'd: ',
      queryInputType: 'search_query',
      documentInputType: 'search_document',
    };
    const embedder = createProviderEmbedder({ ...options, prefixes });
    await embedder.embed(['tea'], []);
    await embedder.embed(['tea'], [], { as: 'query' });
    expect(calls).toEqual([
      expect.objectContaining({
        authorization: undefined,
        body: expect.objectContaining({
          model: 'some-model',
          input: ['d: tea'],
          input_type: 'search_document',
        }),
      }),
      expect.objectContaining({
        body: expect.objectContaining({ input: ['q: tea'], input_type: 'search_query' }),
      }),
    ]);
    // Other prefixes give other vectors
    const names = [prefixes, { ...prefixes, queryPrefix: 'Q: ' }, { queryInputType: 'search_query' }, {}].map(
      (each) => createProviderEmbedder({ ...options, prefixes: each }).model,
    );
    expect(new Set(names).size).toBe(4);
    expect(names[3]).toBe('some-model@8');
    await embedder.close();
  });
});
