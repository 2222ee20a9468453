import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { commandOf } from '../../src/memrelay-command.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** The embedding model is changed twice, and its dimension: nothing is lost, and nothing stands still. */

const namespace = 'work';
const texts = ['The harbour opens at dawn.', 'The bakery sells rye bread.', 'Ana keeps bees in the orchard.'];

let network: TestNetwork;
let backend: TestBackend;
let provider: EmbeddingProvider;
let owner: TestOwner;
let relayer: TestRelayer;
let client: MemRelay;

/** The relayer with another model, on the same database */
async function startWith(environment: NodeJS.ProcessEnv): Promise<void> {
  client?.destroy();
  await relayer?.stop();
  relayer = await startTestRelayer(network, { ...backend, environment });
  client = owner.client(relayer.url);
}
const withDimension = (dimension: string) => ({
  LLM_API_KEY: 'key',
  LLM_API_BASE: provider.url,
  EMBEDDING_DIM: dimension,
});

beforeAll(async () => {
  [network, backend, provider] = await Promise.all([
    startTestNetwork(),
    createTestBackend(),
    startEmbeddingProvider(),
  ]);
  owner = await createTestOwner(network);
  await startWith(withDimension('1536'));
  await client.rememberBulkAndWait(texts.map((text) => ({ text, namespace })));
});
afterAll(async () => {
  client?.destroy();
  await relayer?.stop();
  await Promise.all([provider?.close(), network?.close(), backend?.drop()]);
});

test('after a change of the dimension words find, the answer says what is stale, and it is embedded anew behind it', async () => {
  await startWith(withDimension('512'));
  expect((await client.stats()).staleCount).toBe(texts.length);
  const first = await client.recall('harbour', { namespace });
  expect(first).toMatchObject({ total: 1, staleCount: texts.length });
  expect(first.results[0]).toMatchObject({ text: texts[0], distance: 1, stale: true });
  await expect.poll(async () => (await client.stats()).staleCount, { timeout: 20_000 }).toBe(0);
  const later = await client.recall('harbour', { namespace });
  expect(later).toMatchObject({ total: texts.length });
  expect(later.staleCount).toBeUndefined();
  expect(later.results[0]).toMatchObject({ text: texts[0] });
  expect(later.results[0]!.distance).toBeLessThan(1);
});

test('after a change of the model the command embeds all of it anew, once', async () => {
  await startWith({});
  const { embedding } = await client.config();
  expect(embedding).toEqual({ model: 'lexical-v2-1536', dimension: 1536 });
  const command = await commandOf(network, owner, relayer.url);
  const done = { code: 0, last: { reindexed: texts.length, stale_count: 0, failed: [] } };
  expect(await command('reindex')).toMatchObject(done);
  expect(await command('reindex', '--namespace', namespace)).toMatchObject({
    code: 0,
    last: { reindexed: 0 },
  });
  const { results } = await client.recall('who keeps bees?', { namespace });
  expect(results).toHaveLength(texts.length);
  expect(results[0]).toMatchObject({ text: texts[2] });
});
