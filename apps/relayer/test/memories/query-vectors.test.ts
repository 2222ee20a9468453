import { describe, expect, test } from 'vitest';
import { EmbeddingError } from '../../src/index/embedding/embedder.ts';
import { createQueryVectors } from '../../src/memories/recall/query-vectors.ts';
import { lexical } from '../support/index-parts.ts';

/** Query vectors, with a record of the embedded texts. */
function queryVectors(ttlSeconds: number, failures = 0) {
  const embedded: string[] = [];
  const embedder: typeof lexical = {
    ...lexical,
    async embed(texts, accounts) {
      embedded.push(...texts);
      if (embedded.length <= failures) throw new EmbeddingError('transient', 'inner words of a provider');
      return lexical.embed(texts, accounts);
    },
  };
  return { embedded, vectors: createQueryVectors(embedder, ttlSeconds) };
}

describe('the vector of a query', () => {
  test('is computed once while it is cached, even for concurrent recalls', async () => {
    const { vectors, embedded } = queryVectors(600);
    const [first, second] = await Promise.all([
      vectors.vectorOf('aa', 'tea?'),
      vectors.vectorOf('aa', 'tea?'),
    ]);
    expect(await vectors.vectorOf('aa', 'tea?')).toBe(first);
    expect(second).toBe(first);
    expect([first]).toEqual(await lexical.embed(['tea?'], [Buffer.from('aa', 'hex')]));
    expect(embedded).toEqual(['tea?']);
  });

  test('is not shared between accounts, nor by queries that only look alike', async () => {
    const { vectors, embedded } = queryVectors(600);
    for (const account of ['aa', 'bb']) await vectors.vectorOf(account, 'tea?');
    await vectors.vectorOf('aa', 'tea? ');
    expect(embedded).toEqual(['tea?', 'tea?', 'tea? ']);
  });

  test('expires after its TTL; with 0 nothing is cached', async () => {
    const kept = queryVectors(1);
    await expect
      .poll(
        async () => {
          await kept.vectors.vectorOf('aa', 'tea?');
          return kept.embedded.length;
        },
        { timeout: 5_000 },
      )
      .toBe(2);
    const none = queryVectors(0);
    for (const _again of [1, 2]) await none.vectors.vectorOf('aa', 'tea?');
    expect(none.embedded.length).toBe(2);
  });

  test('retries a failed embedding at the next recall, and does not quote the provider', async () => {
    const { vectors, embedded } = queryVectors(600, 1);
    const failed = await vectors.vectorOf('aa', 'tea?').catch((error: Error) => error);
    expect(failed).toMatchObject({ code: 'embedding_unavailable', status: 503 });
    expect((failed as Error).message).not.toContain('inner words');
    await vectors.vectorOf('aa', 'tea?');
    expect(embedded.length).toBe(2);
  });
});
