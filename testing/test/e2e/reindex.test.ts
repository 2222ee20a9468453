import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { commandOf } from '../../src/memrelay-command.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/**
 * Tests a change of the vectors' dimension, after which old and new vectors cannot be compared: nothing is lost and service
 * continues.
 */

const namespace = 'work';
const texts = ['The harbour opens at dawn.', 'The bakery sells rye bread.', 'Ana keeps bees in the orchard.'];
const atHome = ['The boiler is serviced in May.', 'The spare key hangs in the shed.'];

let network: TestNetwork;
let backend: TestBackend;
let provider: EmbeddingProvider;
let owner: TestOwner;
let relayer: TestRelayer;
let client: MemRelay;

beforeAll(async () => {
  [network, backend, provider] = await Promise.all([
    startTestNetwork(),
    createTestBackend(),
    startEmbeddingProvider(),
  ]);
  owner = await createTestOwner(network);
  const withDimension = (dimension: string) => ({
    ...backend,
    environment: { LLM_API_KEY: 'key', LLM_API_BASE: provider.url, EMBEDDING_DIM: dimension },
  });
  const former = await startTestRelayer(network, withDimension('1536'));
  const storing = owner.client(former.url);
  await storing.rememberBulkAndWait([
    ...texts.map((text) => ({ text, namespace })),
    ...atHome.map((text) => ({ text, namespace: 'home' })),
  ]);
  storing.destroy();
  await former.stop();
  relayer = await startTestRelayer(network, withDimension('512'));
  client = owner.client(relayer.url);
});
afterAll(async () => {
  client?.destroy();
  await relayer?.stop();
  await Promise.all([provider?.close(), network?.close(), backend?.drop()]);
});

test('finds stale memories by words, reports them, and re-embeds them after a recall', async () => {
  expect((await client.config()).embedding).toMatchObject({
    model: 'text-embedding-3-small',
    dimension: 512,
  });
  expect((await client.stats()).staleCount).toBe(texts.length + atHome.length);
  const first = await client.recall('harbour', { namespace });
  expect(first).toMatchObject({ total: 1, staleCount: texts.length });
  expect(first.results[0]).toMatchObject({ text: texts[0], distance: 1, stale: true });
  await expect.poll(async () => (await client.stats()).staleCount, { timeout: 20_000 }).toBe(atHome.length);
  const later = await client.recall('harbour', { namespace, minScore: -1 });
  expect(later).toMatchObject({ total: texts.length });
  expect(later.staleCount).toBeUndefined();
  expect(later.results[0]).toMatchObject({ text: texts[0] });
  expect(later.results[0]!.distance).toBeLessThan(1);
});

test('re-embeds the rest with the command', async () => {
  const command = await commandOf(network, owner, relayer.url);
  const last = { reindexed: atHome.length, stale_count: 0, failed: [] };
  expect(await command('reindex')).toMatchObject({ code: 0, last });
  const { results } = await client.recall('where is the spare key?', { namespace: 'home', minScore: -1 });
  expect(results.map(({ text }) => text)).toEqual([atHome[1], atHome[0]]);
});
