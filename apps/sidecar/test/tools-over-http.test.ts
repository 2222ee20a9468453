import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { createTestBackend, type TestBackend } from '@memrelay/dev-env/test-backend';
import { startTestNetwork, type TestNetwork } from '@memrelay/dev-env/test-network';
import { createTestOwner, newTestKey, type TestKey, type TestOwner } from '@memrelay/dev-env/test-owner';
import { startTestRelayer, type TestRelayer } from '@memrelay/dev-env/test-relayer';
import { freePorts } from '@memrelay/process/free-ports';
import { toolPaths } from '@memrelay/protocol/tool-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runConformance } from './conformance-suite.ts';
import { startCredentialProxy } from './credential-proxy.ts';
import { type OwnSidecar, startOwnSidecar } from './own-sidecar.ts';
import { connectClient, initialize, openSession, post, readEvents } from './tool-clients.ts';
import type { ToolHeaders } from './tool-world.ts';

/** The tool server as used by a host: through the relayer of a complete system. */

const page = 'https://app.example';
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

let network: TestNetwork;
let backend: TestBackend;
let relayer: TestRelayer;
let sidecar: OwnSidecar;
let startSidecar: () => Promise<OwnSidecar>;
let owner: TestOwner;
let headers: ToolHeaders;

function headersOf(key: TestKey, address = '203.0.113.7'): ToolHeaders {
  return {
    authorization: `Bearer ${key.privateKey}`,
    'x-mem-account-id': owner.accountId,
    'x-forwarded-for': address,
  };
}

beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
  const [port, sidecarPort] = await freePorts(2);
  // Started separately, so that relayer and sidecar can be restarted independently
  const shared = {
    PORT: String(port),
    SIDECAR_AUTH_TOKEN: 'a-token-that-both-of-them-hold',
    SIDECAR_URL: `http://127.0.0.1:${sidecarPort}`,
    MEM_PACKAGE_ID: network.info.packageId,
    CHAIN_NETWORK: 'localnet',
    CHAIN_RPC_URL: network.chainUrl,
    STORE_PUBLISHER_URL: network.blobstoreUrl,
    MCP_MAX_SESSIONS_PER_IP: '4',
    MCP_EXTRA_TOOLS: 'true',
  };
  startSidecar = () => startOwnSidecar(shared);
  sidecar = await startSidecar();
  const environment = { ...shared, ALLOWED_ORIGINS: page, TRUSTED_PROXY_HOPS: '1' };
  [relayer, owner] = await Promise.all([
    startTestRelayer(network, { ...backend, environment }),
    createTestOwner(network),
  ]);
  headers = headersOf(owner.delegate);
});
afterAll(async () => {
  await relayer?.stop();
  await sidecar?.kill();
  await Promise.all([network?.close(), backend?.drop()]);
});

const mcp = () => relayer.url + toolPaths.mcp;

describe.each(['streamable', 'sse', 'sessionless'] as const)('over %s', (way) => {
  test('finds a memory saved by a tool with a tool and with the SDK', async () => {
    const namespace = `of ${way}`;
    const { client, call, close } = await connectClient(
      relayer.url,
      { ...headers, 'x-mem-namespace': namespace },
      way,
    );
    expect((await client.listTools()).tools.map(({ name }) => name).slice(0, 4)).toEqual([
      'mem_remember',
      'mem_recall',
      'mem_analyze',
      'mem_restore',
    ]);
    const text = `The cat of ${way} is called Tom.`;
    await call('mem_remember', { text });
    await expect.poll(() => call('mem_recall', { query: 'cat' }), { timeout: 20_000 }).toContain(text);
    const sdk = owner.client(relayer.url);
    expect((await sdk.recall('cat', { namespace })).results.map((hit) => hit.text)).toEqual([text]);
    sdk.destroy();
    await close();
  });
});

test('connects a host with the configuration shown in docs/tools-over-http.md', async () => {
  const guide = await readFile(new URL('../../../docs/tools-over-http.md', import.meta.url), 'utf8');
  const shown = /```json\n(.*?)```/s
    .exec(guide)![1]!
    .replace('http://127.0.0.1:8000', relayer.url)
    .replace('<delegatePrivateKey>', owner.delegate.privateKey)
    .replace('<accountId>', owner.accountId);
  const { url, headers: shownHeaders } = JSON.parse(shown).mcpServers.memory as {
    url: string;
    headers: ToolHeaders;
  };
  expect(url).toBe(mcp());
  const { call, close } = await connectClient(relayer.url, shownHeaders);
  expect(await call('mem_recall', { query: 'anything' })).toContain('"work"');
  await close();
});

test('passes the part of the public conformance suite that applies to any server', async () => {
  const proxy = await startCredentialProxy(relayer.url, headers);
  for (const scenario of [
    'server-initialize',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ])
    expect(await runConformance(proxy.url + toolPaths.mcp, scenario), scenario).toEqual({
      scenarios: 1,
      failures: {},
    });
  await proxy.close();
});

test('lets only pages of ALLOWED_ORIGINS use it, and exposes the headers that they need', async () => {
  const preflight = await fetch(mcp(), {
    method: 'OPTIONS',
    headers: { origin: page, 'access-control-request-method': 'DELETE' },
  });
  expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE');
  const allowed = preflight.headers.get('access-control-allow-headers');
  for (const name of [
    'authorization',
    'x-mem-account-id',
    'mcp-session-id',
    'mcp-protocol-version',
    'last-event-id',
  ])
    expect(allowed).toContain(name);
  const refused = await post(mcp(), { origin: page }, initialize);
  expect(refused.status).toBe(401);
  expect(refused.headers.get('access-control-allow-origin')).toBe(page);
  for (const name of ['mcp-session-id', 'www-authenticate', 'retry-after'])
    expect(refused.headers.get('access-control-expose-headers')).toContain(name);
  expect((await post(mcp(), { ...headers, origin: 'https://evil.example' }, initialize)).status).toBe(403);
});

test('counts sessions by the address that the proxy in front reports', async () => {
  const from = (address: string) => headersOf(owner.delegate, address);
  const clients = await Promise.all(
    Array.from({ length: 4 }, () => connectClient(relayer.url, from('192.0.2.1'), 'sse')),
  );
  const full = await post(mcp(), from('192.0.2.1'), initialize);
  expect(full.status).toBe(429);
  expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await post(mcp(), from('192.0.2.2'), initialize)).status).toBe(200);
  for (const { close } of clients) await close();
});

test('rejects a revoked delegate within 5 s, and ends its stream', async () => {
  const key = newTestKey();
  await owner.addDelegate(key);
  const session = await openSession(relayer.url, headersOf(key, '192.0.2.3'));
  const stream = await fetch(mcp(), { headers: { ...session, accept: 'text/event-stream' } });
  await owner.removeDelegate(key);
  const removedAt = performance.now();
  await stream.text();
  expect((await post(mcp(), session, ping)).status).toBe(401);
  expect(performance.now() - removedAt).toBeLessThan(5_000);
});

test('uses no processor time while idle, even with open streams', async () => {
  const clients = await Promise.all(
    (['streamable', 'sse'] as const).map((way) =>
      connectClient(relayer.url, headersOf(owner.delegate, '192.0.2.4'), way),
    ),
  );
  for (const { client } of clients) await client.ping();
  const busy = async (pid: number) => {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ');
    // Ticks of 10 ms
    return (Number(fields[13]) + Number(fields[14])) * 10;
  };
  const measure = async () => {
    const before = await busy(sidecar.pid);
    await setTimeout(1_000);
    return (await busy(sidecar.pid)) - before;
  };
  // Earlier work may still be finishing
  await expect.poll(measure, { timeout: 15_000 }).toBeLessThan(50);
  for (const { close } of clients) await close();
});

describe('a restart in the middle of a session', () => {
  test('of the relayer keeps the session', async () => {
    const session = await openSession(relayer.url, headersOf(owner.delegate, '192.0.2.5'));
    const stream = await fetch(mcp(), { headers: { ...session, accept: 'text/event-stream' } });
    const broken = stream.text().catch(() => 'broken off');
    await relayer.kill();
    expect(await broken).toBe('broken off');
    await expect(post(mcp(), session, ping)).rejects.toThrow();
    await relayer.start();
    expect((await post(mcp(), session, ping)).status).toBe(200);
  });

  test('of the sidecar ends its streams and the session, and a new one works', async () => {
    const address = headersOf(owner.delegate, '192.0.2.6');
    const session = await openSession(relayer.url, address);
    const stream = await fetch(mcp(), { headers: { ...session, accept: 'text/event-stream' } });
    const call = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'mem_remember', arguments: { text: 'The dog is called Rex.' } },
    };
    const calling = post(mcp(), session, call).then((answer) =>
      readEvents(answer, (text) => text.includes('id:')),
    );
    await calling;
    await sidecar.kill();
    expect(await stream.text()).not.toContain('error');
    const away = await post(mcp(), session, ping);
    expect(away.status).toBe(503);
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    sidecar = await startSidecar();
    expect((await post(mcp(), session, ping)).status).toBe(404);
    const { call: callTool, close } = await connectClient(relayer.url, address);
    expect(await callTool('mem_recall', { query: 'cat', namespace: 'of sse' })).toContain('Tom');
    await close();
  });
});

test('logs no bearer and no text', () => {
  for (const log of [relayer.logs(), sidecar.log()]) {
    expect(log).not.toContain(owner.delegate.privateKey);
    expect(log).not.toContain('is called');
  }
  expect(relayer.logs()).toContain('"route":"/api/mcp/messages"');
});
