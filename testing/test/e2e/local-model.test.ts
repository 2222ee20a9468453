import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { localModelVariables } from 'memrelay/commands/up-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PreparedModel, prepareModel } from '../../src/local-model.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/**
 * Tests a real model on this machine: from the built-in embedder to the model and back, nothing is lost, and the model
 * finds memories by their meaning. Skipped where the model cannot be downloaded.
 */

const texts = [
  'Ana keeps bees in the orchard behind her house.',
  'The boiler is serviced in May.',
  'Ben cannot eat peanuts.',
  'The harbour opens at dawn.',
];
/** No word in common with its memory */
const question = 'Which insects does she look after?';

let model: PreparedModel;
let network: TestNetwork;
let backend: TestBackend;
let owner: TestOwner;

beforeAll(async () => {
  model = await prepareModel();
  if ('missing' in model) return;
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  owner = await createTestOwner(network);
});
afterAll(async () => {
  await Promise.all([network?.close(), backend?.drop()]);
});

async function withRelayer(
  environment: NodeJS.ProcessEnv,
  use: (client: MemRelay, relayer: TestRelayer) => Promise<void>,
): Promise<void> {
  const relayer = await startTestRelayer(network, { ...backend, environment });
  const client = owner.client(relayer.url);
  try {
    await use(client, relayer);
  } finally {
    client.destroy();
    await relayer.stop();
  }
}

async function reindexAll(client: MemRelay): Promise<void> {
  await client.reindex({ namespace: 'default' });
  await expect.poll(async () => (await client.stats()).staleCount).toBe(0);
}

test('memories move from the built-in embedder to a local model and back', async (context) => {
  if ('missing' in model) return context.skip(`no model: ${model.missing}`);
  await withRelayer({}, async (client) => {
    await client.rememberBulkAndWait(texts.map((text) => ({ text })));
    const { results } = await client.recall(question);
    expect(results.map(({ text }) => text)).not.toContain(texts[0]);
  });
  const local = { EMBEDDING_PROVIDER: 'local', MEM_MODEL_DIR: model.directory };
  await withRelayer(local, async (client, relayer) => {
    expect((await client.config()).embedding).toMatchObject({
      model: 'e5-small-v2-7d9092cb',
      dimension: 384,
    });
    expect((await client.stats()).staleCount).toBe(texts.length);
    await reindexAll(client);
    const { results } = await client.recall(question);
    expect(results[0]?.text).toBe(texts[0]);
    // The same text again is known, and a rephrased one is near it
    await client.rememberAndWait('Ben can not eat any peanuts.');
    expect((await client.recall('allergies to nuts')).results[0]?.text).toMatch(/peanuts/);
    expect(relayer.logs()).not.toMatch(/"level":(50|60|"error"|"fatal")/);
  });
  await withRelayer({}, async (client) => {
    expect((await client.stats()).staleCount).toBe(texts.length + 1);
    await reindexAll(client);
    expect((await client.recall('bees', { limit: 20 })).results[0]?.text).toBe(texts[0]);
    expect((await client.stats()).memoryCount).toBe(texts.length + 1);
  });
});

test('`memrelay up` uses an installed model unless another embedder is configured', async (context) => {
  if ('missing' in model) return context.skip(`no model: ${model.missing}`);
  const { directory } = model;
  const variables = (more: NodeJS.ProcessEnv) => localModelVariables({ MEM_MODEL_DIR: directory, ...more });
  const local = { EMBEDDING_PROVIDER: 'local', EMBEDDING_MODEL: 'e5-small-v2' };
  expect(await variables({})).toEqual(local);
  expect(await variables({ MEM_LOCAL_MODEL: 'e5-small-v2', LLM_API_KEY: 'for chat' })).toEqual(local);
  for (const more of [{ MEM_LOCAL_MODEL: 'off' }, { LLM_API_KEY: 'k' }, { EMBEDDING_PROVIDER: 'built-in' }])
    expect(await variables(more)).toEqual({});
});

test('a relayer without the model does not start, and names the command', async (context) => {
  if ('missing' in model) return context.skip(`no model: ${model.missing}`);
  const environment = {
    EMBEDDING_PROVIDER: 'local',
    EMBEDDING_MODEL: 'all-minilm-l6-v2',
    MEM_MODEL_DIR: network.dataDir,
  };
  await expect(startTestRelayer(network, { ...backend, environment })).rejects.toThrow(
    'npx memrelay model add all-minilm-l6-v2',
  );
});
