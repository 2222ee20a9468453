import { headers } from '@memrelay/protocol/headers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawAnswer, rawRequest } from '../../src/raw-request.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests a production relayer without LLM_API_KEY: with the name of a public network, but the parts of the test network. */

let network: TestNetwork;
let backend: TestBackend;
let owner: TestOwner;
beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  owner = await createTestOwner(network);
});
afterAll(async () => {
  await Promise.all([network?.close(), backend?.drop()]);
});

async function withRelayer(
  environment: NodeJS.ProcessEnv,
  use: (call: (path: string, body?: object) => Promise<RawAnswer>, relayer: TestRelayer) => Promise<void>,
): Promise<void> {
  const keyServers = network.info.keyServers.map(({ objectId, weight }) => ({ objectId, weight }));
  const relayer = await startTestRelayer(network, {
    ...backend,
    environment: {
      CHAIN_NETWORK: 'testnet',
      STORE_SHARDS: String(network.info.walrus.nShards),
      STORE_SYSTEM_OBJECT_ID: network.info.walrus.systemObjectId,
      STORE_STAKING_OBJECT_ID: network.info.walrus.stakingObjectId,
      ENC_SERVER_CONFIGS: JSON.stringify(keyServers),
      STORE_EPOCHS: '5',
      ...environment,
    },
  });
  const credential = { [headers.delegateKey]: owner.delegate.privateKey };
  const call = (path: string, body?: object) =>
    rawRequest(relayer.url, owner.delegate, {
      path,
      accountId: owner.accountId,
      headers: credential,
      ...(body ? { body } : { method: 'GET' }),
    });
  try {
    await use(call, relayer);
  } finally {
    await relayer.stop();
  }
}

describe('production without a provider key', () => {
  test('reports the missing key on routes that embed texts, and at the start, while the manual routes work', async () => {
    await withRelayer({}, async (call, relayer) => {
      expect(relayer.logs()).toContain('no embedding model is configured');
      expect(await (await fetch(`${relayer.url}/health`)).json()).toMatchObject({ mode: 'production' });
      for (const [path, body] of [
        ['/api/remember', { text: 'a sentence' }],
        ['/api/remember/bulk', { items: [{ text: 'a sentence' }] }],
        ['/api/recall', { query: 'a question' }],
        ['/api/analyze', { text: 'a sentence' }],
        ['/api/ask', { question: 'a question' }],
        ['/api/restore', {}],
        ['/api/reindex', {}],
      ] as const)
        expect(await call(path, body)).toMatchObject({ status: 503, body: { error: 'llm_not_configured' } });

      const vector = Array.from({ length: 1536 }, (_, i) => Math.sin(i));
      const stored = await call('/api/remember/manual', { encrypted_data: 'AAAA', vector });
      expect(stored.status).toBe(200);
      const found = await call('/api/recall/manual', { vector });
      expect(found).toMatchObject({
        status: 200,
        body: { total: 1, results: [{ blob_id: stored.body.blob_id }] },
      });
    });
  });

  test('uses the built-in embedder if the operator enables it, and every response says so', async () => {
    await withRelayer({ MEM_ALLOW_MOCK_LLM: 'true' }, async (call, relayer) => {
      expect(relayer.logs()).toContain('the built-in lexical embedder is used');
      const accepted = await call('/api/remember', { text: 'a sentence' });
      expect(accepted.status).toBe(202);
      const status = async () => (await call(`/api/remember/${accepted.body.job_id}`)).body.status;
      await expect.poll(status, { timeout: 20_000 }).toBe('done');
      const recalled = await call('/api/recall', { query: 'a question', namespace: 'with nothing in it' });
      expect(recalled).toMatchObject({ status: 200, body: { total: 0, mock: true } });
      const asked = await call('/api/ask', { question: 'a question', namespace: 'with nothing in it' });
      expect(asked).toMatchObject({ status: 200, body: { known: false, mock: true } });
    });
  });
});
