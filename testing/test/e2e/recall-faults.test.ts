import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { permissions } from '@memrelay/chain/account-bcs';
import { addDelegateKeyScoped, rotateKeyEpoch } from '@memrelay/chain/account-transactions';
import { delegateProofMessage } from '@memrelay/chain/delegate-key';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { headers } from '@memrelay/protocol/headers';
import { createEncSession } from '@memrelay/sdk/enc-session';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { createSigner } from '@memrelay/sdk/signer';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rawRequest } from '../../src/raw-request.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey, type TestKey, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests recall with a faulty blob, credential or network. */

/** An aggregator that serves some blobs incorrectly and the rest like the blob store. */
class WrongAggregator {
  readonly wrong = new Map<string, (response: ServerResponse) => void>();
  /** If set, responds for every blob that is not in `wrong`, instead of the blob store */
  otherwise: ((response: ServerResponse) => void) | undefined;
  readonly #server: Server;
  readonly url: string;
  constructor(blobstoreUrl: string, server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', async (request, response: ServerResponse) => {
      const behave = this.wrong.get(request.url!.split('/').at(-1)!) ?? this.otherwise;
      if (behave) return behave(response);
      const answer = await fetch(blobstoreUrl + request.url);
      response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
    });
  }
  static async start(blobstoreUrl: string): Promise<WrongAggregator> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new WrongAggregator(blobstoreUrl, server);
  }
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

let network: TestNetwork;
let backend: TestBackend;
let aggregator: WrongAggregator;
let relayer: TestRelayer;
let owner: TestOwner;
let client: MemRelay;
const serverKey = newTestKey();

beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  aggregator = await WrongAggregator.start(network.blobstoreUrl);
  [relayer, owner] = await Promise.all([
    startTestRelayer(network, {
      ...backend,
      // The in-memory cache is empty after a restart
      redisUrl: undefined,
      environment: { STORE_AGGREGATOR_URL: aggregator.url, SERVER_CHAIN_PRIVATE_KEY: serverKey.privateKey },
    }),
    createTestOwner(network),
  ]);
  client = owner.client(relayer.url);
});
afterAll(async () => {
  client?.destroy();
  await relayer?.stop();
  await aggregator?.close();
  await Promise.all([network?.close(), backend?.drop()]);
});
beforeEach(() => aggregator.wrong.clear());

const call = (path: string, body: unknown, more: object = {}, key: TestKey = owner.delegate) =>
  rawRequest(relayer.url, key, { path, body, accountId: owner.accountId, ...more });

describe('a blob', () => {
  test('that is missing, empty, damaged or swapped is counted but not returned or cached', async () => {
    const namespace = 'blobs';
    const texts = ['good', 'missing', 'empty', 'damaged', 'swapped', 'broken off', 'failing'].map(
      (what) => `a memory whose blob is ${what}`,
    );
    const outcomes = await client.rememberBulkAndWait(texts.map((text) => ({ text, namespace })));
    const blobIds = outcomes.map((outcome) => outcome.blobId!);
    const bytesOf = async (blobId: string) =>
      Buffer.from(await (await fetch(`${network.blobstoreUrl}/v1/blobs/${blobId}`)).arrayBuffer());
    const [good, damaged] = [await bytesOf(blobIds[0]!), await bytesOf(blobIds[3]!)];
    damaged[damaged.length - 1]! ^= 1;
    const behaviours: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(404).end(),
      (response) => response.end(),
      (response) => response.end(damaged),
      (response) => response.end(good),
      (response) =>
        void response.writeHead(200, { 'content-length': '5000' }).write('short', () => response.destroy()),
      (response) => response.writeHead(500).end('inner words of an aggregator'),
    ];
    for (const [i, behave] of behaviours.entries()) aggregator.wrong.set(blobIds[i + 1]!, behave);
    await relayer.stop();
    await relayer.start();

    const recall = () =>
      call(
        '/api/recall',
        { query: 'a memory whose blob', namespace, limit: 100 },
        {
          headers: { [headers.delegateKey]: owner.delegate.privateKey },
        },
      );
    for (const _again of [1, 2]) {
      const answer = await recall();
      expect(answer).toMatchObject({ status: 200, body: { total: 1, dropped_count: 6 } });
      expect(answer.body.results.map((hit: { text: string }) => hit.text)).toEqual([texts[0]]);
      expect(JSON.stringify(answer.body)).not.toContain('inner words');
    }
    aggregator.wrong.clear();
    const healed = await recall();
    expect(healed.body.dropped_count).toBeUndefined();
    expect(healed.body.results.map((hit: { text: string }) => hit.text).sort()).toEqual([...texts].sort());
  });
});

test('is read without delay when other aggregators hang or do not have it', async () => {
  const others = await createTestBackend();
  const [hanging, empty] = [await WrongAggregator.start('unused'), await WrongAggregator.start('unused')];
  const asked: string[] = [];
  hanging.otherwise = () => void asked.push('hanging');
  empty.otherwise = (response) => {
    asked.push('empty');
    response.writeHead(404).end();
  };
  const cold = await startTestRelayer(network, {
    ...others,
    environment: {
      STORE_AGGREGATOR_URL: hanging.url,
      STORE_AGGREGATOR_URLS: `${empty.url},${network.blobstoreUrl}`,
      BLOB_CACHE_TTL_SECS: '0',
    },
  });
  const reader = owner.client(cold.url);
  const { blobId } = await reader.rememberAndWait('read from the third');
  const { results } = await reader.recall('where is it read from?', { minScore: -1 });
  expect(results).toMatchObject([{ text: 'read from the third', blobId }]);
  expect(asked).toEqual(['hanging', 'empty']);
  await cold.stop();
  await Promise.all([hanging.close(), empty.close(), others.drop()]);
});

describe('decrypt credentials', () => {
  const recallBody = { query: 'tea', namespace: 'default' };
  async function encSession(): Promise<string> {
    const signer = createSigner(Buffer.from(owner.delegate.privateKey, 'hex'));
    const now = { creationTimeMs: Date.now() - 30_000, ttlMin: 10 };
    const session = await createEncSession({ signer, packageId: network.info.packageId, ...now });
    return Buffer.from(JSON.stringify(session)).toString('base64');
  }

  test('are required, until the owner makes the server key a delegate', async () => {
    await client.rememberAndWait('tea for the server key');
    const refused = await call('/api/recall', recallBody);
    expect(refused).toMatchObject({ status: 403, body: { error: 'decrypt_credential_required' } });
    await owner.addDelegate(serverKey);
    await expect
      .poll(async () => (await call('/api/recall', recallBody)).status, { timeout: 10_000 })
      .toBe(200);
    // The first one present decides: later ones neither make up for a bad one nor invalidate a good one
    const session = await encSession();
    const [own, foreign] = [owner.delegate.privateKey, newTestKey().privateKey];
    for (const [given, status] of [
      [{ [headers.encSession]: 'x', [headers.delegateKey]: own }, 403],
      [{ [headers.encSession]: 'x' }, 403],
      [{ [headers.delegateKey]: foreign }, 403],
      [{ [headers.encSession]: session, [headers.delegateKey]: foreign }, 200],
      [{ [headers.delegateKey]: own }, 200],
    ] as const)
      expect((await call('/api/recall', recallBody, { headers: given })).status).toBe(status);
    await owner.removeDelegate(serverKey);
    await expect
      .poll(async () => (await call('/api/recall', recallBody)).status, { timeout: 10_000 })
      .toBe(403);
  });

  test('may be the deprecated delegate key, and the response is marked as deprecated', async () => {
    const answer = await call('/api/recall', recallBody, {
      headers: { [headers.delegateKey]: owner.delegate.privateKey },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.total).toBeGreaterThan(0);
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
    const foreign = await call('/api/recall', recallBody, {
      headers: { [headers.delegateKey]: newTestKey().privateKey },
    });
    expect(foreign).toMatchObject({ status: 403, body: { error: 'decrypt_denied' } });
  });

  test('are rejected when the session is malformed', async () => {
    for (const value of ['x', Buffer.from('{}').toString('base64')]) {
      const answer = await call('/api/recall', recallBody, { headers: { [headers.encSession]: value } });
      expect(answer).toMatchObject({ status: 403, body: { error: 'decrypt_denied' } });
      expect(answer.body.message).not.toContain(value);
    }
  });
});

describe('a credential', () => {
  test('that is malformed is rejected even when nothing matches', async () => {
    for (const value of ['x', Buffer.from('{}').toString('base64')]) {
      const answer = await call(
        '/api/recall',
        { query: 'anything', namespace: 'nothing is here' },
        { headers: { [headers.encSession]: value } },
      );
      expect(answer).toMatchObject({ status: 403, body: { error: 'decrypt_denied' } });
    }
    expect(await client.recall('anything', { namespace: 'nothing is here' })).toMatchObject({ total: 0 });
  });

  test("opens nothing from epochs before the signer's first readable one", async () => {
    const { packageId } = network.info;
    const namespace = 'epochs';
    await client.rememberAndWait('from before the newcomer', { namespace });
    await owner.addDelegate(serverKey);
    const before = (await client.account()).keyEpoch;
    await owner.execute(rotateKeyEpoch(packageId, owner.accountId));
    await expect
      .poll(async () => (await client.account()).keyEpoch, { timeout: 10_000 })
      .toBeGreaterThan(before);
    const epoch = (await client.account()).keyEpoch;
    await client.rememberAndWait('from after the newcomer', { namespace });

    const newcomer = newTestKey();
    const proof = await parsePrivateKey(newcomer.privateKey).sign(delegateProofMessage(owner.accountId));
    await owner.execute(
      addDelegateKeyScoped(packageId, owner.accountId, {
        ...newcomer,
        label: 'newcomer',
        proof,
        scope: {
          perms: permissions.all,
          all_namespaces: true,
          tags: [],
          min_epoch: BigInt(epoch),
          // The maximum value, which no date can express
          expires_at_ms: 2n ** 64n - 1n,
        },
      }),
    );
    const account = () =>
      rawRequest(relayer.url, newcomer, { method: 'GET', path: '/api/account', accountId: owner.accountId });
    await expect.poll(async () => (await account()).status, { timeout: 10_000 }).toBe(200);
    expect((await account()).body.delegate).toMatchObject({
      scope: { min_epoch: epoch },
      expires_at: '9999-12-31T23:59:59.999Z',
    });
    // With the server's key, which may read everything, and with the newcomer's own key
    for (const more of [{}, { headers: { [headers.delegateKey]: newcomer.privateKey } }]) {
      const answer = await call('/api/recall', { query: 'from the newcomer', namespace }, more, newcomer);
      expect(answer).toMatchObject({ status: 200, body: { total: 1, dropped_count: 1 } });
      expect(answer.body.results[0].text).toBe('from after the newcomer');
    }
  });
});

describe('bad input', () => {
  test('rejects a vector beyond 32-bit floats at the field', async () => {
    const vector = new Array(1536).fill(0);
    vector[3] = 1e39;
    for (const [path, more] of [
      ['/api/recall/manual', {}],
      ['/api/remember/manual', { encrypted_data: 'AAAA' }],
    ] as const) {
      const answer = await call(path, { vector, ...more });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      expect(answer.body.details.issues[0].path).toBe('vector');
    }
  });

  test('reports job_not_found for an id of any form and length', async () => {
    for (const id of [
      'x',
      'x'.repeat(2_000),
      '%F0%9F%8D%8B',
      'a%2Fb',
      `${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`,
    ]) {
      const answer = await rawRequest(relayer.url, owner.delegate, {
        method: 'GET',
        path: `/api/remember/${id}`,
        accountId: owner.accountId,
      });
      expect(answer, id).toMatchObject({ status: 404, body: { error: 'job_not_found' } });
    }
  });
});

test('responds 503 with Retry-After, never 401, when the chain or key servers are unavailable', async () => {
  await network.localnet.stop();
  const recall = () =>
    call(
      '/api/recall',
      { query: 'anything', namespace: 'blobs', min_score: -1 },
      {
        headers: { [headers.delegateKey]: owner.delegate.privateKey },
      },
    );
  // While the account is cached, only the key servers are missing
  expect(await recall()).toMatchObject({ status: 503, body: { error: 'decrypt_unavailable' } });
  await expect.poll(async () => (await recall()).body.error, { timeout: 20_000 }).toBe('auth_unavailable');
  const refused = await recall();
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  const ready = await fetch(`${relayer.url}/ready`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toMatchObject({ accepts_writes: false, checks: { chain: { ok: false } } });
});
