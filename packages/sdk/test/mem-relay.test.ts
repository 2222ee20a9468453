import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MemRelay } from '../src/mem-relay.ts';
import { createSigner } from '../src/wire/signer.ts';
import type { MemRelayOptions } from '../src/wire/types.ts';
import { accountId, packageId, rejection, startWire, testClient, testKey } from './wire-double.ts';

const publicKey = 'd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737';

describe('create', () => {
  const good: MemRelayOptions = { key: testKey, accountId, serverUrl: 'http://127.0.0.1:1' };

  it('accepts the key as hex in either case, with 0x, or as bytes', () => {
    const forms = [testKey, `0x${testKey}`, Buffer.from(testKey, 'hex'), new Uint8Array(32).fill(0x11)];
    for (const key of forms) expect(MemRelay.create({ ...good, key }).publicKey).toBe(publicKey);
    const upper = 'AB'.repeat(32);
    expect(MemRelay.create({ ...good, key: upper }).publicKey).toBe(
      MemRelay.create({ ...good, key: upper.toLowerCase() }).publicKey,
    );
  });

  it.each<[string, Partial<Record<keyof MemRelayOptions, unknown>>]>([
    ['key', { key: '' }],
    ['key', { key: `${testKey}0` }],
    ['key', { key: `zz${testKey.slice(2)}` }],
    ['key', { key: new Uint8Array(64) }],
    ['key', { key: undefined }],
    ['accountId', { accountId: undefined }],
    ['accountId', { accountId: '0x12' }],
    ['accountId', { accountId: `${accountId}.` }],
    ['packageId', { packageId: 'memrelay' }],
    ['serverUrl', { serverUrl: undefined }],
    ['serverUrl', { serverUrl: 'localhost:8000' }],
    ['serverUrl', { serverUrl: 'ftp://x' }],
    ['serverUrl', { serverUrl: 'http://x/?a=1' }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['maxAttempts', { maxAttempts: Number.NaN }],
  ])('rejects an invalid %s: %j', (name, bad) => {
    const create = () => MemRelay.create({ ...good, ...bad } as MemRelayOptions);
    expect(create).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(create).toThrow(name);
  });

  it('never shows the key in an error, in JSON or when inspected', () => {
    const secret = 'deadbeef'.repeat(9);
    try {
      MemRelay.create({ ...good, key: secret });
    } catch (error) {
      expect(inspect(error, { depth: 9 })).not.toContain('deadbeef');
    }
    const client = MemRelay.create(good);
    expect(JSON.stringify(client) + inspect(client, { depth: 9, showHidden: true })).not.toContain('1111');
  });
});

describe('destroy', () => {
  it('makes every later call fail with a clear error, without a request', async () => {
    await using wire = await startWire([{ json: { results: [], total: 0 } }]);
    const bytes = Buffer.alloc(32, 0x11);
    const client = testClient(wire.url, { key: bytes });
    await client.recall('q');
    client.destroy();
    client.destroy();
    const calls = [
      client.remember('t'),
      client.rememberBulk([{ text: 't' }]),
      client.recall('q'),
      client.waitForJob('j'),
      client.health(),
      client.config(),
    ];
    for (const error of await Promise.all(calls.map(rejection)))
      expect(error).toMatchObject({ code: 'client_destroyed', retryable: false });
    expect(wire.seen).toHaveLength(1);
    expect(bytes[0], "the caller's own bytes are not touched").toBe(0x11);
  });

  it('overwrites the key', async () => {
    const seed = new Uint8Array(32).fill(0x11);
    const signer = createSigner(seed);
    const signing = rejection(signer.sign(new Uint8Array(1)));
    signer.destroy();
    expect(seed).toEqual(new Uint8Array(32));
    expect(await signing).toMatchObject({ code: 'client_destroyed' });
  });

  it('stops the retries of a running call', async () => {
    await using wire = await startWire(['drop']);
    const client = testClient(wire.url);
    const call = rejection(client.remember('t'));
    await wire.requests(1);
    client.destroy();
    expect(await call).toMatchObject({ code: 'client_destroyed' });
    expect(wire.seen).toHaveLength(1);
  });
});

describe('bodies and responses', () => {
  it('recall sends every option by its wire name and pending memories by default', async () => {
    await using wire = await startWire([
      {
        json: {
          results: [{ text: 'a_b stays', distance: 0.1, blob_id: 'B', created_at: 'T' }],
          total: 1,
          dropped_count: 2,
        },
      },
    ]);
    const client = testClient(wire.url);
    expect(await client.recall('q')).toEqual({
      results: [{ text: 'a_b stays', distance: 0.1, blobId: 'B', createdAt: 'T' }],
      total: 1,
      droppedCount: 2,
    });
    await client.recall('q', {
      limit: 3,
      namespace: 'n',
      includePending: false,
      scoringWeights: { semantic: 1, recencyHalfLifeDays: 7 },
      minScore: 0.5,
      context: 2,
      rerank: true,
    });
    expect(wire.seen.map(({ json }) => json)).toEqual([
      { query: 'q', include_pending: true },
      {
        query: 'q',
        limit: 3,
        namespace: 'n',
        include_pending: false,
        scoring_weights: { semantic: 1, recency_half_life_days: 7 },
        min_score: 0.5,
        context: 2,
        rerank: true,
      },
    ]);
  });

  it('the manual calls send bytes as base64, of any size, and typed vectors as numbers', async () => {
    await using wire = await startWire([
      { json: { id: 'i', blob_id: 'B', owner: 'o', namespace: 'n' } },
      { json: { results: [{ blob_id: 'B', distance: 0 }], total: 1 } },
    ]);
    const client = testClient(wire.url, { namespace: 'n' });
    const encryptedData = Uint8Array.from({ length: 1_000_001 }, (_, index) => (index * 31) % 256);
    const stored = await client.rememberManual({
      encryptedData,
      vector: new Float32Array([0.5, -1]),
      opaque: true,
    });
    expect(stored).toEqual({ id: 'i', blobId: 'B', owner: 'o', namespace: 'n' });
    const { encrypted_data: sent, ...rest } = wire.seen[0]!.json;
    expect(Buffer.from(sent as string, 'base64').equals(encryptedData)).toBe(true);
    expect(rest).toEqual({ vector: [0.5, -1], namespace: 'n' });
    expect(await client.recallManual({ vector: [1], limit: 2 })).toEqual({
      results: [{ blobId: 'B', distance: 0 }],
      total: 1,
    });
    expect(wire.seen[1]!.json).toEqual({ vector: [1], limit: 2, namespace: 'n' });
  });

  it('the account is in camel case; the information routes are unchanged and unsigned', async () => {
    const sent = { owner: 'o', key_epoch: 1, delegate: { scope: { all_namespaces: true } }, packageId };
    await using wire = await startWire([{ json: sent }]);
    const client = testClient(wire.url);
    expect(await client.account()).toMatchObject({
      keyEpoch: 1,
      delegate: { scope: { allNamespaces: true } },
    });
    for (const info of [client.health(), client.version(), client.config()]) expect(await info).toEqual(sent);
    expect(wire.seen.map(({ path }) => path)).toEqual(['/api/account', '/health', '/version', '/config']);
    for (const { headers } of wire.seen.slice(1)) expect(headers).not.toHaveProperty('x-account-id');
  });

  it("the caller's fetch is used", async () => {
    const requestedUrls: string[] = [];
    const client = testClient('https://relayer.example', {
      fetch: async (input) => {
        requestedUrls.push(String(input));
        return Response.json({ owner: 'o' });
      },
    });
    await client.account();
    expect(requestedUrls).toEqual(['https://relayer.example/api/account']);
  });
});
