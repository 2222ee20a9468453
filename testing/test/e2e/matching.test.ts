import type { RecallOptions } from '@memrelay/sdk/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests that a recall returns only memories that match, not merely the nearest ones. */

const tea = 'Ana likes her tea with lemon';
const texts = [
  tea,
  'The parcel is under the red bench',
  'Привет из Порту',
  '港は夜明けに開く',
  'Bo works at the harbour',
  'Zoë paints on Sundays',
  'The wifi password is on the fridge',
];

let network: TestNetwork;
let provider: EmbeddingProvider;
let owner: TestOwner;
beforeAll(async () => {
  [network, provider] = await Promise.all([startTestNetwork(), startEmbeddingProvider()]);
  owner = await createTestOwner(network);
});
afterAll(async () => {
  await Promise.all([network?.close(), provider?.close()]);
});

describe.each([
  { name: 'without a model', environment: () => ({}), floor: 0.05 },
  {
    name: 'with a known model',
    environment: () => ({ LLM_API_KEY: 'test', LLM_API_BASE: provider.url }),
    floor: 0.1,
  },
])('$name', ({ environment, floor }) => {
  const isModel = floor === 0.1;
  // The model's stand-in only knows words of ASCII letters
  const known = texts.filter((text) => !isModel || /^[ -~]+$/.test(text));
  let backend: TestBackend;
  let relayer: TestRelayer;
  beforeAll(async () => {
    backend = await createTestBackend();
    relayer = await startTestRelayer(network, { ...backend, environment: environment() });
    await owner
      .client(relayer.url)
      .rememberBulkAndWait([
        ...known.map((text) => ({ text, namespace: 'seven' })),
        { text: tea, namespace: 'one' },
      ]);
  });
  afterAll(async () => {
    await relayer?.stop();
    await backend?.drop();
  });
  const recall = (query: string, options: RecallOptions = {}) =>
    owner.client(relayer.url).recall(query, { namespace: 'seven', limit: 100, ...options });
  const found = async (query: string, options: RecallOptions = {}) =>
    (await recall(query, options)).results.map(({ text }) => text);

  test('does not return a memory that shares nothing with the question, whether there are one or seven', async () => {
    const others = isModel ? [] : ['what is it?', 'the of and', '🎉', 'Где гавань?', '天気'];
    for (const namespace of ['one', 'seven'])
      for (const query of ['who plays chess?', 'xyzzy', ...others]) {
        const answer = await recall(query, { namespace, explain: true });
        expect(answer).toMatchObject({ results: [], total: 0 });
        expect(answer.droppedCount).toBeUndefined();
      }
    if (isModel) return;
    expect(await found('Привет!')).toEqual(['Привет из Порту']);
    expect(await found('港はどこ？')).toEqual(['港は夜明けに開く']);
    expect(await found('zoe')).toEqual(['Zoë paints on Sundays']);
  });

  test('reports what a hit matched by', async () => {
    const [first, ...rest] = (await recall('where is the parcel?', { explain: true })).results;
    expect(first).toMatchObject({
      text: 'The parcel is under the red bench',
      explain: { matchedBy: 'words', keywords: { terms: 1 } },
    });
    for (const { explain } of rest) expect(explain?.matchedBy).toBe('meaning');
    if (isModel) return;
    expect(rest).toEqual([]);
    // One typing error is corrected before the search; more only resemble the word
    for (const [query, matchedBy] of [
      ['the pasword', 'words'],
      ['the paassworrd', 'spelling'],
    ] as const)
      expect((await recall(query, { explain: true })).results).toMatchObject([
        { text: 'The wifi password is on the fridge', explain: { matchedBy } },
      ]);
    expect((await recall('what does Ana drink?', { explain: true })).results[0]).toMatchObject({
      text: tea,
      explain: { matchedBy: 'words', keywords: { terms: 1, related: 1 } },
    });
  });

  test("uses the caller's minimum score instead, and weights do not add other hits", async () => {
    const all = await recall('who plays chess?', { minScore: -1, explain: true });
    expect(all.results.map(({ text }) => text).sort()).toEqual([...known].sort());
    expect(all.total).toBe(known.length);
    for (const { explain } of all.results) expect(explain).not.toHaveProperty('matchedBy');
    const scoringWeights = { semantic: 0, recency: 1, recencyHalfLifeDays: 30, importance: 1 };
    expect(await found('where is the parcel?', { scoringWeights })).toContain(
      'The parcel is under the red bench',
    );
    expect(await found('who plays chess?', { scoringWeights })).toEqual([]);
  });

  test('returns what was stored before and after a match, if asked for or if memories belong together', async () => {
    expect(await found('tea with lemon')).toEqual([tea]);
    const { results } = await recall('tea with lemon', { scoringWeights: { context: 1 }, explain: true });
    expect(results[0]).toMatchObject({ text: tea, explain: { matchedBy: 'words' } });
    expect(results.slice(1).map(({ text, explain }) => [text, explain?.matchedBy])).toEqual(
      known.slice(1, 3).map((text) => [text, 'context']),
    );
    for (const { explain } of results.slice(1)) expect(explain?.context).toBeGreaterThan(0.5);

    // Ten turns about each subject, all with words of their own
    const subjects = ['cello', 'garden', 'marathon', 'bread', 'sailing', 'chess'];
    const turns = subjects.flatMap((subject) =>
      [...'abcdefghij'].map((letter) => ({ text: `${subject} ${subject} x${letter}q`, namespace: 'turns' })),
    );
    turns.splice(33, 0, { text: 'Since last year', namespace: 'turns' });
    await owner.client(relayer.url).rememberBulkAndWait(turns);
    const asked = { namespace: 'turns', explain: true };
    const inContext = await recall('xcq bread', asked);
    expect(inContext.results[0]!.text).toBe('bread bread xcq');
    const adjacent = inContext.results.find(({ text }) => text === 'Since last year');
    expect(adjacent?.explain?.matchedBy).toBe('context');
    // Its vector is near by chance, depending on the owner's key
    expect(adjacent?.explain?.context).toBeGreaterThan(0.5);
    const without = await recall('xcq bread', { ...asked, scoringWeights: { context: 0 } });
    expect(without.results.map(({ text }) => text)).not.toContain('Since last year');
  });

  test('reports an unknown answer from ask when nothing matches', async () => {
    const answer = await owner.client(relayer.url).ask('who plays chess?', { namespace: 'seven' });
    expect(answer).toMatchObject({ known: false, memoriesUsed: 0, memories: [] });
  });

  test('publishes the minimum similarity in the configuration', async () => {
    const config = (await (await fetch(`${relayer.url}/config`)).json()) as {
      embedding: { min_score: number };
    };
    expect(config.embedding.min_score).toBe(floor);
  });

  if (!isModel)
    test('quotes only matching memories in ask', async () => {
      const answer = await owner.client(relayer.url).ask('what does Ana drink?', { namespace: 'seven' });
      expect(answer).toMatchObject({ known: true, memoriesUsed: 1, memories: [{ text: tea }] });
    });
});
