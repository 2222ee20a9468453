import { parsePrivateKey } from '@memrelay/chain/key-file';
import { headers } from '@memrelay/protocol/headers';
import { toolPaths } from '@memrelay/protocol/tool-server';
import {
  Client,
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { SessionKey } from '@mysten/seal';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawRequest } from '../../src/raw-request.ts';
import { RelayerWorld } from '../../src/relayer-world.ts';

/** Tests third-party clients, which read the package by JSON-RPC and create their session with Seal's library. */

const page = 'https://app.example';

let world: RelayerWorld;
let session: string;

beforeAll(async () => {
  world = await RelayerWorld.create({ environment: { ALLOWED_ORIGINS: page } });
  session = await sessionHeader(world.network.info.packageId);
});
afterAll(() => world?.close());

/** The value of the session header as such a client writes it: the exported fields, `mvrName` as null. */
async function sessionHeader(packageId: string): Promise<string> {
  const signer = parsePrivateKey(world.owner.delegate.privateKey);
  const address = signer.toSuiAddress();
  const suiClient = world.network.chain.sui;
  const made = await SessionKey.create({ address, packageId, ttlMin: 5, signer, suiClient });
  await made.getCertificate();
  const { creationTimeMs, ttlMin, personalMessageSignature, sessionKey } = made.export();
  const fields = {
    address,
    packageId,
    mvrName: null,
    creationTimeMs,
    ttlMin,
    personalMessageSignature,
    sessionKey,
  };
  return Buffer.from(JSON.stringify(fields)).toString('base64');
}

/** A signed request; `more` are headers in addition to those of the signature. */
function call(path: string, body: unknown, more: Record<string, string> = { [headers.encSession]: session }) {
  return rawRequest(world.relayer.url, world.owner.delegate, {
    path,
    body,
    accountId: world.owner.accountId,
    headers: more,
  });
}

function get(path: string) {
  return rawRequest(world.relayer.url, world.owner.delegate, {
    method: 'GET',
    path,
    accountId: world.owner.accountId,
  });
}

/** Stores a text and returns its job when it is done. */
async function store(text: string, namespace: string): Promise<string> {
  const { body } = await call('/api/remember', { text, namespace });
  await world.owner.client(world.relayer.url).waitForJob(body.job_id);
  return body.job_id;
}

test('are served with only the config, the package on chain and a session header on every call', async () => {
  const config = (await (await fetch(`${world.relayer.url}/config`)).json()) as {
    suiRpcUrl: string;
    packageId: string;
  };
  const asked = await fetch(config.suiRpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sui_getObject', params: [config.packageId, {}] }),
  });
  expect(await asked.json()).toMatchObject({
    result: { data: { objectId: config.packageId, version: '1' } },
  });

  const accepted = await call('/api/remember', { text: 'said by another client' });
  expect(accepted.status).toBe(202);
  await world.owner.client(world.relayer.url).waitForJob(accepted.body.job_id);
  const recalled = await call('/api/recall', { query: 'what was said?', limit: 5 });
  expect(recalled).toMatchObject({
    status: 200,
    body: { total: 1, results: [{ text: 'said by another client' }] },
  });
});

describe('the original names of headers', () => {
  test('accept x-seal-session for decryption, and count x-enc-session next to it as a repeated header', async () => {
    await store('sealed under another name', 'aliases');
    const query = { query: 'sealed name', namespace: 'aliases' };
    const recalled = await call('/api/recall', query, { 'x-seal-session': session });
    expect(recalled.body).toMatchObject({ total: 1, results: [{ text: 'sealed under another name' }] });
    const both = await call('/api/recall', query, {
      [headers.encSession]: session,
      'x-seal-session': session,
    });
    expect(both).toMatchObject({
      status: 401,
      body: { error: 'invalid_auth_header', details: { header: headers.encSession } },
    });
    expect(world.relayer.logs()).not.toContain(session);
  });

  test('are allowed for pages by CORS, and /version lists both names of the session header', async () => {
    const preflight = await fetch(`${world.relayer.url}/api/recall`, {
      method: 'OPTIONS',
      headers: { origin: page, 'access-control-request-method': 'POST' },
    });
    const allowed = preflight.headers.get('access-control-allow-headers')!.split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining(['x-seal-session', 'x-memwal-account-id', 'x-memwal-namespace']),
    );
    expect(await (await fetch(`${world.relayer.url}/version`)).json()).toMatchObject({
      featureFlags: { 'auth.encSessionHeader': true, 'auth.sealSessionHeader': true },
    });
  });
});

describe('limits and long queries', () => {
  test.each([
    ['recall', '/api/recall', { query: 'tea' }],
    ['ask', '/api/ask', { question: 'tea?' }],
    ['restore', '/api/restore', {}],
    ['the list', '/api/memories', {}],
  ])('uses the default limit for 0 in %s, and clamps limits above the maximum', async (_, path, body) => {
    for (const limit of [0, 1, 501, 1e20])
      expect(await call(path, { ...body, limit }), String(limit)).toMatchObject({ status: 200 });
    for (const limit of [-1, 1.5, '5'])
      expect(await call(path, { ...body, limit }), String(limit)).toMatchObject({
        status: 400,
        body: { error: 'invalid_request', details: { issues: [{ path: 'limit' }] } },
      });
  });

  test('returns ten hits for a recall with limit 0, as for one without a limit', async () => {
    const items = Array.from({ length: 12 }, (_, i) => ({ text: `tea number ${i}`, namespace: 'twelve' }));
    const { body } = await call('/api/remember/bulk', { items });
    await world.owner.client(world.relayer.url).waitForJobs(body.job_ids);
    const totals = [];
    for (const limit of [undefined, 0, 11, 1_000])
      totals.push((await call('/api/recall', { query: 'tea', namespace: 'twelve', limit })).body.total);
    expect(totals).toEqual([10, 10, 11, 12]);
  });

  test('recalls by the beginning of a 64 KiB prompt, and reports that it was truncated', async () => {
    await store('the walrus naps at noon', 'prompts');
    const prompt = `when does the walrus nap? ${'filler words go on and on '.repeat(4_000)}`.slice(0, 65_536);
    const long = await call('/api/recall', { query: prompt, namespace: 'prompts' });
    expect(long).toMatchObject({
      status: 200,
      body: { query_truncated: true, results: [{ text: 'the walrus naps at noon' }] },
    });
    const asked = await call('/api/ask', { question: prompt, namespace: 'prompts' });
    expect(asked).toMatchObject({ status: 200, body: { query_truncated: true } });
    const short = await call('/api/recall', { query: 'walrus', namespace: 'prompts' });
    expect(short.body).not.toHaveProperty('query_truncated');
    expect(await call('/api/recall', { query: `${prompt}!` })).toMatchObject({ status: 400 });
  });
});

describe('idempotency_key in the body', () => {
  test.each([
    ['remember', '/api/remember', { text: 'kept once' }, 'job_id'],
    ['bulk', '/api/remember/bulk', { items: [{ text: 'kept once in bulk' }] }, 'job_ids'],
    ['analyze', '/api/analyze', { text: 'Ana keeps bees.' }, 'job_ids'],
  ])(
    'returns the first response to a repeated %s, and rejects another body',
    async (name, path, body, field) => {
      const keyed = { ...body, idempotency_key: `body-${name}` };
      const first = await call(path, keyed);
      expect(first.status).toBe(202);
      expect((await call(path, keyed)).body[field]).toEqual(first.body[field]);
      const other = { ...keyed, namespace: 'elsewhere', items: [{ text: 'something else' }] };
      expect(await call(path, other)).toMatchObject({
        status: 409,
        body: { error: 'idempotency_key_reused' },
      });
    },
  );

  test('gives the header precedence over the field, and validates the field', async () => {
    const body = { text: 'header first', idempotency_key: 'of-the-body' };
    const withHeader = { [headers.idempotencyKey]: 'of-the-header' };
    const first = await call('/api/remember', body, withHeader);
    const again = await call('/api/remember', { text: 'not stored', idempotency_key: 'of-the-body' });
    expect(again.status).toBe(202);
    expect(again.body.job_id).not.toBe(first.body.job_id);
    expect((await call('/api/remember', body, withHeader)).body).toEqual(first.body);
    expect(await call('/api/remember', { text: 'x', idempotency_key: 'a b' })).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: 'idempotency_key' }] } },
    });
  });
});

test('names the owner in the stats, and lists namespaces at GET /v1/owners/{owner}/namespaces', async () => {
  await store('counted', 'counted');
  const { address } = world.owner.wallet;
  expect((await call('/api/stats', {})).body).toMatchObject({ owner: address });
  const posted = (await call('/api/namespaces', {})).body;
  expect(posted).toMatchObject({ owner: address });
  for (const path of ['/api/namespaces', `/v1/owners/${address}/namespaces`])
    expect(await get(path), path).toMatchObject({ status: 200, body: posted });
  expect((await get(`/v1/owners/${address}/namespaces`)).body).toMatchObject({
    namespaces: posted.namespaces.map(
      (entry: { namespace: string; storage_bytes: number; newest: string }) => ({
        id: entry.namespace,
        name: entry.namespace,
        storage_used: entry.storage_bytes,
        updated_at: entry.newest,
      }),
    ),
    has_more: false,
    snapshot_version: 0,
  });
  expect(posted.namespaces).not.toEqual([]);
  const foreign = `/v1/owners/0x${'1'.repeat(64)}/namespaces`;
  expect(await get(foreign)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  expect((await fetch(`${world.relayer.url}/v1/owners/${address}/namespaces`)).status).toBe(401);
});

describe('the tool server', () => {
  const bearer = () => ({ authorization: `Bearer ${world.owner.delegate.privateKey}` });
  const original = () => ({
    ...bearer(),
    'x-memwal-account-id': world.owner.accountId,
    'x-memwal-namespace': 'of tools',
  });

  test.each(['streamable', 'sse', 'sessionless'] as const)(
    'accepts the original header and tool names over %s, and lists only its own',
    async (way) => {
      const options = { requestInit: { headers: original() } };
      const transport =
        way === 'sse'
          ? new SSEClientTransport(new URL(world.relayer.url + toolPaths.sse), options)
          : new StreamableHTTPClientTransport(new URL(world.relayer.url + toolPaths.mcp), options);
      const pinned = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;
      const client = new Client({ name: 'test', version: '1.0.0' }, way === 'sessionless' ? pinned : {});
      await client.connect(transport);
      const text = `The heron of ${way} fishes at dawn.`;
      await client.callTool({ name: 'memwal_remember', arguments: { text } });
      await expect
        .poll(() => client.callTool({ name: 'memwal_recall', arguments: { query: 'heron' } }), {
          timeout: 20_000,
        })
        .toMatchObject({ structuredContent: { namespace: 'of tools' } });
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names.every((name) => name.startsWith('mem_'))).toBe(true);
      const recalled = await world.owner.client(world.relayer.url).recall(text, { namespace: 'of tools' });
      expect(recalled.results.map((hit) => hit.text)).toContain(text);
      await client.close();
    },
  );

  test('rejects an account header that is sent under both names', async () => {
    const answer = await fetch(world.relayer.url + toolPaths.mcp, {
      method: 'POST',
      headers: { ...original(), 'x-mem-account-id': world.owner.accountId },
      body: '{}',
    });
    expect(answer.status).toBe(401);
  });

  test('returns an error on the stream to a bridge that posts without a bearer', async () => {
    const answers: JSONRPCMessage[] = [];
    const stream = new SSEClientTransport(new URL(world.relayer.url + toolPaths.sse), {
      requestInit: { headers: original() },
      // The bridge authenticates the stream and posts its messages without a credential
      fetch: (url, init) =>
        init?.method === 'POST'
          ? fetch(url, { ...init, headers: { 'content-type': 'application/json' } })
          : fetch(url, init),
    });
    stream.onmessage = (message) => answers.push(message);
    stream.onerror = () => undefined;
    await stream.start();
    const params = { name: 'memwal_recall', arguments: { query: 'heron' } };
    const posting = stream.send({ jsonrpc: '2.0', id: 'call-7', method: 'tools/call', params });
    await expect(posting).rejects.toThrow();
    await expect
      .poll(() => answers, { timeout: 20_000 })
      .toEqual([
        {
          jsonrpc: '2.0',
          id: 'call-7',
          error: expect.objectContaining({ message: expect.stringContaining('Authorization: Bearer') }),
        },
      ]);
    await stream.close();
    const unknown = await fetch(`${world.relayer.url}${toolPaths.messages}?sessionId=none`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(unknown.status).toBe(401);
  });
});
