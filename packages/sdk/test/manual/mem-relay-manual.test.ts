import { expect, it } from 'vitest';
import type { ManualOptions } from '../../src/manual/manual-types.ts';
import { MemRelayManual } from '../../src/manual/mem-relay-manual.ts';
import { accountId, packageId, rejection, type ScriptedAnswer, startWire, testKey } from '../wire-double.ts';

const config = {
  packageId,
  registryId: packageId,
  network: 'localnet',
  suiRpcUrl: 'http://127.0.0.1:1',
  aggregatorUrl: 'http://127.0.0.1:1',
  encServerConfigs: [{ objectId: packageId, weight: 1 }],
  encThreshold: 1,
  embedding: { model: 'text-embedding-3-small', dimension: 2 },
};

/** A relayer that reports its network, and a provider with this response. */
async function world(answer: ScriptedAnswer) {
  const wire = await startWire(({ path }) => (path === '/config' ? { json: config } : answer));
  const client = (options: Partial<ManualOptions> = {}) =>
    MemRelayManual.create({
      key: testKey,
      accountId,
      packageId,
      serverUrl: wire.url,
      embedding: { baseUrl: `${wire.url}/v1`, maxAttempts: 1 },
      maxAttempts: 1,
      ...options,
    });
  return { wire, client, [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose]() };
}

it.each(['rememberManual', 'recallManual'] as const)(
  '%s ends when its caller aborts, and sends nothing afterwards',
  async (call) => {
    await using setup = await world('silence');
    const controller = new AbortController();
    const client = setup.client();
    const waiting = client[call]('text', { signal: controller.signal });
    await setup.wire.requests(2);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(client[call]('text', { signal: controller.signal })).rejects.toThrow('enough');
    expect(setup.wire.seen.map(({ path }) => path)).not.toContain('/api/remember/manual');
  },
);

it('an abort ends many texts at once, instead of becoming an outcome', async () => {
  await using setup = await world('silence');
  const controller = new AbortController();
  const waiting = setup.client().rememberManual(['a', 'b', 'c'], { signal: controller.signal });
  await setup.wire.requests(3);
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});

it('rejects invalid texts before sending them to anyone', async () => {
  await using setup = await world('silence');
  const client = setup.client();
  for (const text of ['', ' \n', '\ud800', 'x'.repeat(1_048_577), 'é'.repeat(524_289)])
    expect(await rejection(client.rememberManual(text))).toMatchObject({ code: 'invalid_argument' });
  expect(await rejection(client.recallManual('x'.repeat(65_537)))).toMatchObject({
    code: 'invalid_argument',
  });
  const key = { idempotencyKey: 'with space' };
  expect(await rejection(client.rememberManual('x', key))).toMatchObject({ code: 'invalid_argument' });
  expect(setup.wire.seen).toEqual([]);
});

it('does nothing after destroy, even in the middle of a call', async () => {
  await using setup = await world({ json: { data: [{ index: 0, embedding: [1, 0] }] } });
  const client = setup.client();
  const waiting = rejection(client.rememberManual('x'));
  await setup.wire.requests(2);
  client.destroy();
  expect(await waiting).toMatchObject({ code: 'client_destroyed' });
  expect(await rejection(client.recallManual('x'))).toMatchObject({ code: 'client_destroyed' });
  expect(setup.wire.seen).toHaveLength(2);
});

it('reports what to do if there is no provider or the chain is unreachable', async () => {
  await using setup = await world({ json: { data: [{ index: 0, embedding: [1, 0] }] } });
  const without = await rejection(setup.client({ embedding: undefined }).rememberManual('x'));
  expect(without).toMatchObject({
    code: 'embedding_not_configured',
    message: expect.stringContaining('baseUrl'),
  });
  const away = await rejection(setup.client().rememberManual('x'));
  expect(away).toMatchObject({ code: 'chain_unavailable', retryable: true });
  expect(setup.wire.seen.map(({ path }) => path)).not.toContain('/api/remember/manual');
});

it('is created from a credential file and signs with its key', () => {
  const file = {
    delegatePrivateKey: testKey,
    delegatePublicKey: 'd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737',
    delegateAddress: accountId,
    walletAddress: accountId,
    accountId,
    packageId,
    relayerUrl: 'http://127.0.0.1:8000',
    label: 'test',
    createdAt: '2026-01-01T00:00:00Z',
  };
  expect(MemRelayManual.fromCredentials(file).publicKey).toBe(file.delegatePublicKey);
});
