import { createHash, randomUUID } from 'node:crypto';
import { headers } from '@memrelay/protocol/headers';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawRequest } from '../../src/raw-request.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';

/** Tests the main flow through the public API, with and without the SDK. */

let world: RelayerWorld;
let client: MemRelay;

beforeAll(async () => {
  world = await RelayerWorld.create({ environment: { ALLOWED_ORIGINS: 'http://localhost:5173' } });
  client = world.client();
});
afterAll(() => world?.close());

const call = (path: string, body: unknown, more: Parameters<typeof rawRequest>[2] | object = {}) =>
  rawRequest(world.relayer.url, world.owner.delegate, {
    path,
    body,
    accountId: world.owner.accountId,
    ...more,
  });

describe('remember and recall', () => {
  test('accepts a memory, stores it as a blob of its owner, and finds it by a question', async () => {
    const accepted = await call('/api/remember', { text: 'Ana likes her tea with lemon' });
    expect(accepted).toMatchObject({ status: 202 });
    expect(accepted.body).toEqual({ job_id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'running' });
    expect(accepted.headers.get(headers.accountId)).toBe(world.owner.accountId);
    const stored = await client.waitForJob(accepted.body.job_id);
    expect(stored).toMatchObject({ status: 'done', owner: world.owner.wallet.address, namespace: 'default' });
    expect(stored.blobId).toMatch(/^[A-Za-z0-9_-]{43}$/);

    const polled = await rawRequest(world.relayer.url, world.owner.delegate, {
      method: 'GET',
      path: `/api/remember/${accepted.body.job_id}`,
      accountId: world.owner.accountId,
    });
    expect(polled.body).toEqual({
      job_id: accepted.body.job_id,
      status: 'done',
      owner: world.owner.wallet.address,
      namespace: 'default',
      blob_id: stored.blobId,
    });

    const found = await client.recall('what does Ana drink with lemon?', { limit: 3 });
    expect(found.results[0]).toMatchObject({ text: 'Ana likes her tea with lemon', blobId: stored.blobId });
    expect(found.results[0]!.distance).toBeLessThan(0.9);
    expect(found.mock).toBe(true);

    // The aggregator serves the envelope to anyone; the object on chain is the owner's
    const blob = Buffer.from(
      await (await fetch(`${world.network.blobstoreUrl}/v1/blobs/${stored.blobId}`)).arrayBuffer(),
    );
    expect(blob.subarray(0, 4).toString()).toBe('MRE1');
    expect(blob.includes('lemon')).toBe(false);
    const owned = await world.network.chain.sui.core.listOwnedObjects({
      owner: world.owner.wallet.address,
      type: `${world.network.info.walrus.packageId}::blob::Blob`,
    });
    expect(owned.objects.length).toBe(1);
  });

  test('recalls a memory as pending right after its acceptance if the caller asks for it', async () => {
    const namespace = 'read your writes';
    await client.remember('the parcel is under the red bench', { namespace });
    await expect
      .poll(async () => (await client.recall('where is the parcel?', { namespace })).results[0]?.text, {
        timeout: 10_000,
      })
      .toBe('the parcel is under the red bench');
  });

  test('keeps the order of items in bulk calls and in their status', async () => {
    const items = Array.from({ length: 20 }, (_, i) => ({
      text: `item number ${i} of the list`,
      namespace: 'bulk',
    }));
    const accepted = await call('/api/remember/bulk', { items });
    expect(accepted.status).toBe(202);
    expect(accepted.body).toMatchObject({ total: 20, status: 'running' });
    const unknown = randomUUID();
    const ids: string[] = accepted.body.job_ids;
    await client.waitForJobs(ids);
    const status = await call('/api/remember/bulk/status', { job_ids: [ids[3], unknown, 'no uuid', ids[3]] });
    expect(status.body.results).toEqual([
      { job_id: ids[3], status: 'done', blob_id: expect.any(String) },
      { job_id: unknown, status: 'not_found' },
      { job_id: 'no uuid', status: 'not_found' },
      { job_id: ids[3], status: 'done', blob_id: expect.any(String) },
    ]);
    const { results } = await client.recall('item of the list', { namespace: 'bulk', limit: 20 });
    const textOf = new Map(results.map(({ id, text }) => [id, text]));
    expect(ids.map((id) => textOf.get(id))).toEqual(items.map(({ text }) => text));
  });

  test('returns texts of every size and script unchanged', async () => {
    const texts = [
      'a',
      '  spaces kept  ',
      'línea\nnueva\ttab',
      '記憶は鍵の持ち主のもの',
      '👩‍👩‍👧 family',
      'x'.repeat(1_048_576),
    ];
    const namespace = 'sizes';
    const outcomes = await client.rememberBulkAndWait(texts.map((text) => ({ text, namespace })));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(texts.map(() => 'done'));
    const { results, droppedCount } = await client.recall('family', {
      namespace,
      limit: 100,
      minScore: -1,
    });
    expect(droppedCount).toBeUndefined();
    expect(results.map((hit) => hit.text).sort()).toEqual([...texts].sort());
  });

  test('keeps namespaces separate', async () => {
    await client.rememberAndWait('the code of the safe is in the blue book', { namespace: 'private' });
    const elsewhere = await client.recall('code of the safe', { namespace: 'public' });
    expect(elsewhere).toMatchObject({ results: [], total: 0 });
  });

  test('re-ranks by scoring weights, and omits hits below the minimum score', async () => {
    const namespace = 'weights';
    await client.rememberAndWait('green parrot', { namespace });
    await client.rememberAndWait('an unrelated sentence', { namespace });
    const weighted = await client.recall('green parrot', {
      namespace,
      scoringWeights: { semantic: 2, recency: 1 },
    });
    expect(weighted.results[0]).toMatchObject({ text: 'green parrot', score: expect.closeTo(3, 0) });
    const strict = await client.recall('green parrot', { namespace, minScore: 0.9 });
    expect(strict.results.map((hit) => hit.text)).toEqual(['green parrot']);
  });

  test('finds a memory by a rare word, and explains its rank', async () => {
    const namespace = 'words';
    const { jobIds } = await client.rememberBulk([
      { text: 'the parcel is at the post office, its number is RX-48213-b', namespace },
      { text: 'the number of the parcel post office is on the door', namespace },
      { text: 'she went to the painters in Porto', namespace },
    ]);
    await client.waitForJobs(jobIds);
    const parcel = await client.recall('what about number rx-48213-b?', { namespace, explain: true });
    expect(parcel.results.length).toBe(2);
    expect(parcel.results[0]).toMatchObject({
      text: expect.stringContaining('RX-48213-b'),
      score: expect.any(Number),
      explain: { vector: { score: expect.any(Number) }, keywords: { rank: 1 }, vectorShare: 0.1 },
    });
    const painters = await client.recall('Who goes painting?', { namespace });
    expect(painters.results[0]!.text).toContain('Porto');
    expect(painters.results[0]).not.toHaveProperty('explain');
  });

  test('stores once per idempotency key, and rejects the key with another body', async () => {
    const key = randomUUID();
    const once = () =>
      call(
        '/api/remember',
        { text: 'stored once', namespace: 'once' },
        { headers: { [headers.idempotencyKey]: key } },
      );
    const [first, second] = await Promise.all([once(), once()]);
    expect(first.status).toBe(202);
    expect(second.body).toEqual(first.body);
    const other = await call(
      '/api/remember',
      { text: 'another' },
      { headers: { [headers.idempotencyKey]: key } },
    );
    expect(other).toMatchObject({ status: 409, body: { error: 'idempotency_key_reused' } });
    await client.waitForJob(first.body.job_id);
    expect((await client.recall('stored once', { namespace: 'once' })).total).toBe(1);
  });
});

describe('manual mode', () => {
  test('stores bytes that the relayer cannot read and finds them by vector', async () => {
    const bytes = Buffer.from('bytes that only the client can read');
    const vector = Array.from({ length: 1536 }, (_, i) => Math.sin(i));
    const stored = await client.rememberManual({
      encryptedData: bytes,
      vector,
      namespace: 'manual',
      opaque: true,
    });
    expect(stored).toMatchObject({
      owner: world.owner.wallet.address,
      namespace: 'manual',
      blobId: expect.any(String),
      opaque: true,
    });
    const found = await client.recallManual({ vector, namespace: 'manual' });
    expect(found.results).toEqual([
      {
        id: stored.id,
        blobId: stored.blobId,
        distance: expect.closeTo(0, 4),
        sha256: createHash('sha256').update(bytes).digest('hex'),
        createdAt: expect.any(String),
      },
    ]);
    expect(found.total).toBe(1);
    const blob = await fetch(`${world.network.blobstoreUrl}/v1/blobs/${stored.blobId}`);
    expect(Buffer.from(await blob.arrayBuffer())).toEqual(bytes);
    // A recall that asks for every memory counts it as unreadable
    const relayed = await client.recall('anything', { namespace: 'manual', minScore: -1 });
    expect(relayed).toMatchObject({ results: [], droppedCount: 1 });
  });

  test.each([
    [{ encrypted_data: '!!!', vector: [1] }, 'encrypted_data'],
    [{ encrypted_data: 'AAAA', vector: [1, 2] }, 'vector'],
    [{ encrypted_data: '', vector: [1] }, 'encrypted_data'],
    [
      { encrypted_data: 'AAAA', vector: new Array(1536).fill(1), chunk_vectors: btoa('x'.repeat(1537)) },
      'chunk_vectors',
    ],
    [{ encrypted_data: 'AAAA', vector: [1], repeat_tag: 'ab' }, 'repeat_tag'],
    [{ encrypted_data: 'AAAA', vector: [1], embedding_model: 'a model' }, 'embedding_model'],
  ])('rejects %o at the field', async (body, path) => {
    const answer = await call('/api/remember/manual', body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(answer.body.details.issues[0].path).toBe(path);
  });
});

describe('the information routes', () => {
  const get = async (path: string, init?: RequestInit) => fetch(new URL(path, world.relayer.url), init);

  test('report client compatibility at /health and /version', async () => {
    const health = await (await get('/health')).json();
    expect(health).toMatchObject({
      status: 'ok',
      apiVersion: '1.0.0',
      mode: 'local',
      minSupportedSdk: {
        typescript: expect.any(String),
        python: expect.any(String),
        mcp: expect.any(String),
      },
      featureFlags: {
        'auth.accountBoundNonce': true,
        'auth.encSessionHeader': true,
        'runtime.versionEndpoint': true,
      },
      prompt_versions: { extract: expect.any(String), ask: expect.any(String), rerank: expect.any(String) },
      build: {},
    });
    const version = (await (await get('/version')).json()) as { deprecations: { surface: string }[] };
    expect(health).toMatchObject(version);
    expect(version.deprecations.map(({ surface }) => surface)).toEqual([
      'header:x-delegate-key',
      'env:ENC_KEY_SERVERS',
    ]);
  });

  test('name the network and no secret at /config', async () => {
    const config = (await (await get('/config')).json()) as { encServerConfigs: unknown };
    expect(config).toMatchObject({
      packageId: world.network.info.packageId,
      registryId: world.network.info.registryId,
      network: 'localnet',
      aggregatorUrl: world.network.blobstoreUrl,
      encThreshold: 2,
      embedding: { model: 'lexical-v3-1536', dimension: 1536 },
    });
    expect(config.encServerConfigs).toHaveLength(2);
    for (const name of [
      'DATABASE_URL',
      'SIDECAR_AUTH_TOKEN',
      'MEM_SERVER_SECRET',
      'MEM_INDEX_KEY',
      'MEM_WRITER_KEYS',
    ])
      expect(JSON.stringify(config), name).not.toContain(world.relayer.environment[name] ?? 'must be set');
  });

  test('respond at /live and /ready', async () => {
    expect((await get('/live')).status).toBe(200);
    const ready = await get('/ready');
    const body = (await ready.json()) as { checks: object };
    expect(body).toMatchObject({ ready: true, accepts_writes: true });
    expect(Object.keys(body.checks).sort()).toEqual(['blob_store', 'chain', 'database', 'nonces', 'sidecar']);
  });

  test("report the key epoch and the key's scope at /api/account", async () => {
    expect(await client.account()).toMatchObject({
      owner: world.owner.wallet.address,
      accountId: world.owner.accountId,
      active: true,
      keyEpoch: expect.any(Number),
      delegate: { label: 'test', scope: { perms: ['read', 'write', 'forget'], allNamespaces: true } },
    });
  });

  test('return errors in one shape, with the request id', async () => {
    const missing = await get('/nowhere', { headers: { 'x-request-id': 'my-request.1' } });
    expect(missing.status).toBe(404);
    expect(missing.headers.get('x-request-id')).toBe('my-request.1');
    expect(await missing.json()).toMatchObject({
      error: 'not_found',
      message: expect.any(String),
      request_id: 'my-request.1',
    });
    const wrong = await get('/health', { method: 'DELETE' });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('GET, HEAD');
    expect(await wrong.json()).toMatchObject({ error: 'method_not_allowed' });
    const forged = await get('/health', { headers: { 'x-request-id': 'spaces are refused' } });
    expect(forged.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('allow browser calls only from allowed origins', async () => {
    const preflight = (origin: string) =>
      get('/api/recall', { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
    const allowed = await preflight('http://localhost:5173');
    expect(allowed.status).toBe(204);
    expect(allowed.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(allowed.headers.get('access-control-allow-headers')).toContain('x-enc-session');
    expect(allowed.headers.get('access-control-allow-methods')).toContain('DELETE');
    const other = await preflight('http://evil.example');
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('bad input', () => {
  test.each([
    ['/api/remember', {}, 'text'],
    ['/api/remember', { text: '   ' }, 'text'],
    ['/api/remember', { text: 5 }, 'text'],
    ['/api/remember', { text: 'x'.repeat(1_048_577) }, 'text'],
    ['/api/remember', { text: 'lone \ud800 surrogate' }, 'text'],
    ['/api/remember', { text: 'ok', namespace: '' }, 'namespace'],
    ['/api/remember', { text: 'ok', namespace: 'a\u0000b' }, 'namespace'],
    ['/api/remember', { text: 'ok', namespace: 'n'.repeat(129) }, 'namespace'],
    ['/api/remember/bulk', { items: [] }, 'items'],
    ['/api/remember/bulk', { items: new Array(21).fill({ text: 'x' }) }, 'items'],
    ['/api/remember/bulk', { items: [{ text: 'ok' }, { text: '' }] }, 'items.1.text'],
    ['/api/remember/bulk/status', { job_ids: [] }, 'job_ids'],
    ['/api/recall', { query: '' }, 'query'],
    ['/api/recall', { query: 'x'.repeat(65_537) }, 'query'],
    ['/api/recall', { query: 'x', limit: -1 }, 'limit'],
    ['/api/recall', { query: 'x', limit: 1.5 }, 'limit'],
    ['/api/recall', { query: 'x', scoring_weights: { semantic: 101 } }, 'scoring_weights.semantic'],
    ['/api/recall/manual', {}, 'vector'],
    ['/api/recall/manual', { vector: [] }, 'vector'],
    ['/api/recall/manual', { vector: [1], include_envelopes: true }, 'include_envelopes'],
    ['/api/remember/manual', { vector: [1], encrypted_data: 'AAAA', needs_index: true }, 'needs_index'],
    ['/api/recall/manual', { vector: ['1'] }, 'vector.0'],
    // Every field is optional, but a body must be an object
    ['/api/memories', null, ''],
  ])('%s rejects a bad field (%#)', async (path, body, issue) => {
    const answer = await call(path, body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(answer.body.details.issues.map((entry: { path: string }) => entry.path)).toContain(issue);
  });

  test('accepts a namespace of 128 characters, unknown fields and a text at its limit', async () => {
    const answer = await call('/api/remember', {
      text: 'ok',
      namespace: '名'.repeat(128),
      unknown: { field: 1 },
    });
    expect(answer.status).toBe(202);
    expect((await call('/api/remember', { text: 'x'.repeat(1_048_576) })).status).toBe(202);
  });

  test('rejects a body that is not JSON', async () => {
    const malformed = await call('/api/remember', undefined, { rawBody: '{"text": ' });
    expect(malformed).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const form = await call('/api/remember', undefined, {
      rawBody: 'text=x',
      headers: { 'content-type': 'text/plain' },
    });
    expect(form).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } });
    const large = await call('/api/remember', undefined, {
      rawBody: JSON.stringify({ text: 'x'.repeat(2_200_000) }),
    });
    expect(large).toMatchObject({ status: 413, body: { error: 'payload_too_large' } });
  });
});
