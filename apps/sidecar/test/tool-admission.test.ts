import { connect, type Socket } from 'node:net';
import { relayedHeaders, toolPaths } from '@memrelay/protocol/tool-server';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createGateTools } from './gate-tools.ts';
import { connectClient, initialize, openSession, post, type Way } from './tool-clients.ts';
import {
  headersOf,
  type ServedTools,
  startToolWorld,
  type ToolHeaders,
  type ToolOwner,
  type ToolWorld,
} from './tool-world.ts';

/** Admission of clients: credentials and limits. */

let world: ToolWorld;
let owner: ToolOwner;
let headers: ToolHeaders;
let key: Ed25519Keypair;
const { makeServer } = createGateTools();
beforeAll(async () => {
  world = await startToolWorld();
  owner = await world.createOwner();
  ({ headers, key } = await owner.addDelegate());
});
afterAll(() => world?.close());

const running: ServedTools[] = [];
async function serve(options: Parameters<ToolWorld['serve']>[0] = {}): Promise<ServedTools> {
  const served = await world.serve({ makeServer, ...options });
  running.push(served);
  return served;
}
afterEach(() => Promise.all(running.splice(0).map((served) => served.close())));

const from = (address: string): ToolHeaders => ({ ...headers, [relayedHeaders.clientAddress]: address });
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('credentials', () => {
  test('are checked against the chain before a session is opened', async () => {
    const { url, service } = await serve();
    const other = await world.createOwner();
    const { authorization: _a, ...noBearer } = headers;
    const { 'x-mem-account-id': _b, ...noAccount } = headers;
    const refused: [ToolHeaders, string][] = [
      [noBearer, 'missing_auth_header'],
      [noAccount, 'invalid_auth_header'],
      [{ ...headers, authorization: 'Bearer not-a-key' }, 'invalid_auth_header'],
      [
        { ...headers, authorization: headers.authorization!.replace('Bearer', 'Basic') },
        'invalid_auth_header',
      ],
      [{ ...headers, 'x-mem-account-id': '0x12' }, 'invalid_auth_header'],
      [headersOf(new Ed25519Keypair(), owner.accountId), 'unknown_delegate_key'],
      [headersOf(key, other.accountId), 'unknown_delegate_key'],
      [headersOf(key, `0x${'0'.repeat(64)}`), 'unknown_delegate_key'],
    ];
    for (const [sent, reason] of refused)
      for (const answer of [
        await post(url + toolPaths.mcp, sent, initialize),
        await fetch(url + toolPaths.sse, { headers: sent }),
      ]) {
        expect(answer.status, reason).toBe(401);
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="memrelay"/);
        expect(await answer.json()).toMatchObject({
          jsonrpc: '2.0',
          error: { code: -32001, data: { reason } },
          id: null,
        });
      }
    expect(service.sessions.size).toBe(0);
    expect(service.sessions.places.active).toBe(0);
  });

  test('may be written with 0x and in upper case, and stay the same', async () => {
    const { url } = await serve();
    const session = await openSession(url, headers);
    const spelled = headers.authorization!.replace(
      /^Bearer (.*)$/,
      (_, hex: string) => `bearer 0x${hex.toUpperCase()}`,
    );
    const account = headers['x-mem-account-id']!.toUpperCase().replace('0X', '0x');
    const same = { ...session, authorization: spelled, 'x-mem-account-id': account };
    expect((await post(url + toolPaths.mcp, same, ping)).status).toBe(200);
  });

  test('of another client, and made-up ones, give no access to a session', async () => {
    const { url } = await serve();
    const session = await openSession(url, headers);
    const { headers: strangers } = await owner.addDelegate();
    const taken = { ...strangers, 'mcp-session-id': session['mcp-session-id']! };
    // A delegate that was just added may be unknown for up to 100 ms
    const known = async () => (await post(url + toolPaths.mcp, strangers, ping)).status;
    await expect.poll(known).toBe(400);
    const madeUp = { ...headers, 'mcp-session-id': crypto.randomUUID() };
    const without = headers;
    for (const [sent, status] of [
      [taken, 403],
      [madeUp, 404],
      [without, 400],
    ] as const) {
      expect((await post(url + toolPaths.mcp, sent, ping)).status).toBe(status);
      for (const method of ['GET', 'DELETE']) {
        const accept = 'text/event-stream';
        expect((await fetch(url + toolPaths.mcp, { method, headers: { ...sent, accept } })).status).toBe(
          status,
        );
      }
    }
    expect((await post(url + toolPaths.mcp, session, ping)).status).toBe(200);
  });

  test('are ignored without the token of the relayer', async () => {
    const { url } = await serve();
    const { [relayedHeaders.token]: _, ...bare } = headers;
    for (const sent of [bare, { ...bare, [relayedHeaders.token]: 'a-guess-of-some-length' }])
      expect((await post(url + toolPaths.mcp, sent, initialize)).status).toBe(401);
  });

  test('end on revocation: immediately if its event arrives, within 5 s otherwise', async () => {
    const { url, service } = await serve();
    const reported = await owner.addDelegate();
    const unreported = await owner.addDelegate();
    const [one, other] = [
      await openSession(url, reported.headers),
      await openSession(url, unreported.headers),
    ];
    const stream = await fetch(url + toolPaths.mcp, { headers: { ...one, accept: 'text/event-stream' } });
    await owner.removeDelegate(unreported.key);
    const removedAt = performance.now();
    await expect
      .poll(async () => (await post(url + toolPaths.mcp, other, ping)).status, { timeout: 6_000 })
      .toBe(401);
    expect(performance.now() - removedAt).toBeLessThan(5_000);
    await owner.removeDelegate(reported.key);
    service.dropAccount(owner.accountId);
    expect((await post(url + toolPaths.mcp, one, ping)).status).toBe(401);
    // Its stream ends and its place becomes free
    await stream.text();
    expect(service.sessions.all().map(({ id }) => id)).not.toContain(one['mcp-session-id']);
  });

  test.each<Way>(['streamable', 'sse'])(
    'end on revocation, and a waiting call gets an error: %s',
    async (way) => {
      const { makeServer, waiting } = createGateTools();
      const { url, service } = await serve({ makeServer });
      const { key, headers: own } = await owner.addDelegate();
      const { call, close } = await connectClient(url, own, way);
      const answer = call('wait').catch((error: Error) => error.message);
      await expect.poll(() => waiting.length).toBe(1);
      await owner.removeDelegate(key);
      service.dropAccount(owner.accountId);
      expect(await answer).toContain('The session ended before the answer');
      await close();
    },
  );

  test('end with a revocation even if a stream belongs to no session', async () => {
    const { url, service } = await serve();
    const { key, headers: own } = await owner.addDelegate();
    const stays = await owner.addDelegate();
    const listen = async (sent: ToolHeaders) => {
      const answer = await post(
        url + toolPaths.mcp,
        {
          ...sent,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'subscriptions/listen',
        },
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'subscriptions/listen',
          params: {
            notifications: { toolsListChanged: true },
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        },
      );
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain('text/event-stream');
      return answer;
    };
    const [ends, goesOn] = [await listen(own), await listen(stays.headers)];
    expect(service.sessions.places.active).toBe(2);
    await owner.removeDelegate(key);
    service.dropAccount(owner.accountId);
    await ends.text().catch(() => undefined);
    await expect.poll(() => service.sessions.places.active).toBe(1);
    await goesOn.body!.cancel();
    await expect.poll(() => service.sessions.places.active).toBe(0);
  });

  test('end with the expiry of the delegate', async () => {
    const { url, service } = await serve({ sweepMs: 50 });
    const expiresAtMs = Date.now() + 3_000;
    const { headers: brief } = await owner.addDelegate({ expires_at_ms: BigInt(expiresAtMs) });
    const session = await openSession(url, brief);
    expect((await post(url + toolPaths.mcp, session, ping)).status).toBe(200);
    const stream = await fetch(url + toolPaths.mcp, { headers: { ...session, accept: 'text/event-stream' } });
    await stream.text();
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAtMs);
    const answer = await post(url + toolPaths.mcp, session, ping);
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ error: { data: { reason: 'delegate_expired' } } });
    expect(service.sessions.size).toBe(0);
  });
});

describe('limits', () => {
  const refusal = async (url: string, sent: ToolHeaders) => {
    const answer = await post(url + toolPaths.mcp, sent, initialize);
    const body = (await answer.json()) as { error: { code: number; data: { reason: string } } };
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body.error.code).toBe(-32000);
    return body.error.data.reason;
  };

  test('17 initializations one after the other from one address succeed: the longest idle session makes room', async () => {
    const { url, service } = await serve({ limits: { newPerMinute: 30 } });
    const sessions: ToolHeaders[] = [];
    for (let i = 0; i < 17; i++) sessions.push(await openSession(url, headers));
    expect(service.sessions.size).toBe(16);
    expect((await post(url + toolPaths.mcp, sessions[0]!, ping)).status).toBe(404);
    expect((await post(url + toolPaths.mcp, sessions[1]!, ping)).status).toBe(200);
    expect((await post(url + toolPaths.mcp, sessions[16]!, ping)).status).toBe(200);
  });

  test('sessions in use are not ended for others', async () => {
    const { url } = await serve({ limits: { perAddress: 3, total: 5 } });
    const clients = await Promise.all([
      connectClient(url, headers),
      connectClient(url, headers, 'sse'),
      connectClient(url, headers, 'sse'),
    ]);
    expect(await refusal(url, headers)).toBe('ip_active_cap');
    // Requests without a session count, too
    await expect(connectClient(url, headers, 'sessionless')).rejects.toMatchObject({});
    const [one, other] = [
      await openSession(url, from('203.0.113.1')),
      await openSession(url, from('203.0.113.2')),
    ];
    expect(await refusal(url, from('203.0.113.3'))).toBe('global_cap');
    // An idle session is only ended for a session of the same address
    await openSession(url, from('203.0.113.2'));
    expect((await post(url + toolPaths.mcp, other, ping)).status).toBe(404);
    expect((await post(url + toolPaths.mcp, one, ping)).status).toBe(200);
    await clients[1]!.close();
    await expect
      .poll(() => post(url + toolPaths.mcp, from('203.0.113.3'), initialize).then((a) => a.status))
      .toBe(200);
    for (const { close } of clients) await close();
  });

  test('new sessions of an address are limited per minute', async () => {
    const { url } = await serve({ limits: { newPerMinute: 2 } });
    await fetch(url + toolPaths.mcp, { method: 'DELETE', headers: await openSession(url, headers) });
    await openSession(url, headers);
    expect(await refusal(url, headers)).toBe('ip_burst_cap');
    await openSession(url, from('203.0.113.1'));
  });

  test('a request that opens no session takes no place', async () => {
    const { url, service } = await serve();
    const wrongAccept = { ...headers, accept: 'text/html' };
    expect((await post(url + toolPaths.mcp, wrongAccept, initialize)).status).toBe(406);
    await expect.poll(() => service.sessions.places.active).toBe(0);
    const { close } = await connectClient(url, headers, 'sessionless');
    await close();
    await expect.poll(() => service.sessions.places.active).toBe(0);
  });

  test('a client that disconnects before the chain has responded leaves nothing behind', async () => {
    const real = world.accountStates();
    const answers = Promise.withResolvers<void>();
    const asked: string[] = [];
    const account = async (id: string): Promise<Awaited<ReturnType<typeof real.account>>> => {
      asked.push(id);
      await answers.promise;
      return real.account(id);
    };
    const { service, url, connections } = await serve({ accounts: { ...real, account } });
    const sent = { ...headers, host: 'localhost', accept: 'application/json, text/event-stream' };
    const head = Object.entries(sent)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const text = JSON.stringify(initialize);
    const body = `content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
    const sockets = [
      `POST ${toolPaths.mcp} HTTP/1.1\r\n${head}${body}`,
      `GET ${toolPaths.sse} HTTP/1.1\r\n${head}\r\n`,
    ].map((lines) =>
      connect(Number(new URL(url).port), '127.0.0.1').on('connect', function (this: Socket) {
        this.write(lines);
      }),
    );
    await expect.poll(() => asked.length).toBe(2);
    for (const socket of sockets) socket.destroy();
    await expect.poll(connections).toBe(0);
    answers.resolve();
    await openSession(url, headers);
    await expect.poll(() => service.sessions.all().map(({ idleMs }) => idleMs)).toEqual([expect.any(Number)]);
    expect(service.sessions.places.active).toBe(1);
  });

  test('ends an idle session, but not one with a stream or a call', async () => {
    const tools = createGateTools();
    const { url, service } = await serve({ makeServer: tools.makeServer, idleMs: 300, sweepMs: 20 });
    const idle = await openSession(url, headers);
    const calling = await openSession(url, headers);
    const streaming = await connectClient(url, headers);
    const abort = new AbortController();
    const wait = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', arguments: {} } };
    await post(url + toolPaths.mcp, calling, wait, abort.signal);
    abort.abort();
    const start = performance.now();
    await expect.poll(() => service.sessions.size, { timeout: 5_000 }).toBe(2);
    expect((await post(url + toolPaths.mcp, idle, ping)).status).toBe(404);
    // Longer than the idle time after its last request
    await expect.poll(() => performance.now() - start, { timeout: 5_000 }).toBeGreaterThan(600);
    expect(service.sessions.size).toBe(2);
    tools.waiting[0]!.finish('done');
    await expect.poll(() => service.sessions.size, { timeout: 5_000 }).toBe(1);
    await streaming.close();
  });
});
