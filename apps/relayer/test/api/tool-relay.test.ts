import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { toolPaths } from '@memrelay/protocol/tool-server';
import { afterEach, describe, expect, test } from 'vitest';
import { allowedPage, closeRelays, relayInFront } from '../support/relay-in-front.ts';

/** Tool requests through the relayer; the test plays the sidecar. */

afterEach(closeRelays);

const stream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
};

describe('forwarding', () => {
  test("passes only the protocol's headers, with the token and the client's address", async () => {
    let seen: IncomingMessage['headers'] = {};
    const { url, logged } = await relayInFront((request, response) => {
      seen = request.headers;
      response.writeHead(200, {
        'content-type': 'application/json',
        'mcp-session-id': 'an-id',
        'www-authenticate': 'Bearer',
        server: 'inside',
        'set-cookie': 'a=b',
        'access-control-allow-origin': '*',
      });
      response.end('{}');
    });
    const answer = await fetch(url + toolPaths.mcp, {
      method: 'POST',
      headers: {
        authorization: 'Bearer the-secret',
        'x-mem-account-id': '0x1',
        'x-mem-namespace': 'work',
        'mcp-session-id': 'an-id',
        'mcp-protocol-version': '2025-11-25',
        'mcp-param-limit': '3',
        'last-event-id': 'e1',
        accept: 'application/json',
        'content-type': 'application/json',
        cookie: 'c=d',
        'x-forwarded-for': '203.0.113.9',
        'x-sidecar-token': 'forged',
        'x-sidecar-client-address': '203.0.113.9',
        'x-enc-session': 'not for here',
      },
      body: '{}',
    });
    expect(Object.keys(seen).sort()).toEqual(
      [
        'accept',
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
        'last-event-id',
        'mcp-param-limit',
        'mcp-protocol-version',
        'mcp-session-id',
        'x-mem-account-id',
        'x-mem-namespace',
        'x-sidecar-client-address',
        'x-sidecar-token',
      ].sort(),
    );
    expect(seen).toMatchObject({
      authorization: 'Bearer the-secret',
      'x-sidecar-token': 'the-token',
      'x-sidecar-client-address': '127.0.0.1',
    });
    expect(answer.headers.get('mcp-session-id')).toBe('an-id');
    expect(answer.headers.get('x-request-id')).toMatch(/./);
    for (const name of ['server', 'set-cookie', 'access-control-allow-origin'])
      expect(answer.headers.get(name), name).toBeNull();
    await expect.poll(() => logged.some((line) => line.includes('"route":"/api/mcp"'))).toBe(true);
    expect(logged.join()).not.toContain('the-secret');
  });

  test.each([
    [1, '198.51.100.4, 203.0.113.9', '203.0.113.9'],
    [1, '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    [0, '203.0.113.9', '127.0.0.1'],
  ])('takes the client address behind %i proxies from %s as %s', async (hops, forwarded, expected) => {
    const seen: unknown[] = [];
    const { url } = await relayInFront(
      (request, response) => {
        seen.push(request.headers['x-sidecar-client-address']);
        response.end();
      },
      { trustedProxyHops: hops },
    );
    await fetch(url + toolPaths.mcp, { headers: { 'x-forwarded-for': forwarded } });
    expect(seen).toEqual([expected]);
  });

  test('streams a response as it is written, at the pace of its reader', async () => {
    const mebibyte = 'x'.repeat(1024 * 1024);
    let written = 0;
    let open: ServerResponse | undefined;
    const { url } = await relayInFront((_request, response) => {
      stream(response);
      open = response;
    });
    const answer = await fetch(url + toolPaths.mcp);
    const reader = answer.body!.getReader();
    open!.write('data: first\n\n');
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('data: first\n\n');
    // Without a reader the buffers fill up, and then writing stops
    const fill = (): void => {
      while (written < 200 && open!.write(mebibyte)) written += 1;
    };
    open!.on('drain', fill);
    fill();
    let before = -1;
    await expect
      .poll(
        () => {
          const stands = before === written;
          before = written;
          return stands;
        },
        { interval: 300, timeout: 10_000 },
      )
      .toBe(true);
    expect(written).toBeLessThan(100);
    await reader.cancel();
  });

  test('ends the request to the sidecar when the client disconnects', async () => {
    const gone = Promise.withResolvers<void>();
    const { url } = await relayInFront((_request, response) => {
      stream(response);
      response.once('close', () => gone.resolve());
    });
    const abort = new AbortController();
    await fetch(url + toolPaths.sse, { signal: abort.signal });
    abort.abort();
    await gone.promise;
  });
});

describe('rejects', () => {
  test.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['a page on another port', { origin: 'http://127.0.0.1:1' }],
    ['a page of the rebound name of an earlier visit', { origin: 'http://evil.example:8000' }],
  ])('%s', async (_what, sent) => {
    const { app } = await relayInFront(() => expect.fail('it came through'));
    const answer = await app.inject({
      method: 'POST',
      url: toolPaths.mcp,
      headers: { host: '127.0.0.1:8000', ...sent },
    });
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ jsonrpc: '2.0', error: { data: { reason: 'foreign_site' } } });
  });

  test.each([{ host: 'evil.example' }, { host: 'evil.example', origin: 'http://evil.example' }])(
    'rejects a rebound name for this machine: %o',
    async (headers) => {
      const { app } = await relayInFront(() => expect.fail('it came through'));
      const answer = await app.inject({ method: 'POST', url: toolPaths.mcp, headers });
      expect(answer.statusCode).toBe(403);
      expect(answer.json()).toMatchObject({
        jsonrpc: '2.0',
        error: { data: { reason: 'host_not_allowed' } },
      });
    },
  );

  test.each([
    { host: 'localhost:8000' },
    { host: '[::1]:8000', origin: 'http://[::1]:8000' },
    { host: '127.0.0.1', origin: allowedPage },
  ])('accepts %o', async (sent) => {
    const { url, app } = await relayInFront((_request, response) => response.end('{}'));
    const { port } = new URL(url);
    const answer = await app.inject({
      url: toolPaths.mcp,
      headers: sent,
      remoteAddress: `127.0.0.1:${port}`,
    });
    expect(answer.statusCode).toBe(200);
  });

  test('rejects a body that is too long before reading it', async () => {
    const { app } = await relayInFront(() => expect.fail('it came through'));
    const answer = await app.inject({
      method: 'POST',
      url: toolPaths.mcp,
      headers: { host: 'localhost', 'content-length': String(4 * 1024 * 1024 + 1) },
    });
    expect(answer.statusCode).toBe(413);
  });

  test.each([
    [401, 'invalid_auth_header', ['authorization', 'Bearer a', 'Authorization', 'Bearer b']],
    [401, 'invalid_auth_header', ['x-mem-account-id', '0x1', 'x-mem-account-id', '0x1']],
    [415, 'unsupported_media_type', ['content-encoding', 'gzip']],
  ])('%i %s: %o', async (status, reason, raw) => {
    const { url } = await relayInFront(() => expect.fail('it came through'));
    const headers = ['host', 'localhost', ...raw];
    const sent = request(url + toolPaths.mcp, { method: 'POST', headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(status);
    expect(JSON.parse(await text(answer))).toMatchObject({ jsonrpc: '2.0', error: { data: { reason } } });
  });

  test('an address whose requests are rejected repeatedly', async () => {
    let status = 401;
    const { url } = await relayInFront(
      (_request, response) => {
        response.statusCode = status;
        response.end();
      },
      { failuresPerMinute: 3 },
    );
    const ask = async () => (await fetch(url + toolPaths.mcp)).status;
    status = 200;
    for (let i = 0; i < 5; i++) expect(await ask()).toBe(200);
    status = 401;
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([401, 401, 401, 429]);
  });

  test('may use a bearer that succeeded earlier after its budget is used up', async () => {
    const { url } = await relayInFront(
      ({ headers: { authorization } }, response) => {
        response.statusCode = authorization === 'Bearer good' ? 200 : authorization === undefined ? 404 : 401;
        response.end();
      },
      { failuresPerMinute: 3 },
    );
    const ask = async (authorization?: string) =>
      (await fetch(url + toolPaths.mcp, { headers: authorization ? { authorization } : {} })).status;
    expect(await ask('Bearer good')).toBe(200);
    expect(await ask()).toBe(404);
    for (let i = 0; i < 3; i++) expect(await ask('Bearer bad')).toBe(401);
    for (let i = 0; i < 10; i++) expect(await ask('Bearer good')).toBe(200);
    for (const other of ['Bearer bad', 'Bearer another', undefined]) expect(await ask(other)).toBe(429);
  });
});

test('is charged for a request whose client disconnects before the response', async () => {
  let asked = 0;
  const { url } = await relayInFront(
    () => {
      asked += 1;
    },
    { failuresPerMinute: 2 },
  );
  for (let i = 1; i <= 2; i++) {
    const leaving = new AbortController();
    const answer = fetch(url + toolPaths.mcp, { signal: leaving.signal });
    await expect.poll(() => asked).toBe(i);
    leaving.abort();
    await expect(answer).rejects.toThrow();
  }
  expect((await fetch(url + toolPaths.mcp)).status).toBe(429);
});

test('opens nothing at the sidecar for a client that has already disconnected', async () => {
  const asked: (string | undefined)[] = [];
  const leaving = new AbortController();
  const { url } = await relayInFront(
    (request, response) => {
      asked.push(request.method);
      response.end();
    },
    {
      async before(request, reply) {
        if (request.method !== 'GET') return;
        leaving.abort();
        await once(reply.raw, 'close');
      },
    },
  );
  await expect(fetch(url + toolPaths.mcp, { signal: leaving.signal })).rejects.toThrow();
  await fetch(url + toolPaths.mcp, { method: 'POST' });
  expect(asked).toEqual(['POST']);
});

describe('a sidecar that stops', () => {
  test('is 503 with Retry-After and a JSON-RPC error', async () => {
    const { url, sidecar } = await relayInFront(() => undefined);
    sidecar.close();
    const answer = await fetch(url + toolPaths.mcp, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await answer.json()).toMatchObject({ error: { data: { reason: 'sidecar_unavailable' } } });
  });

  test('ends its streams cleanly, and aborts incomplete responses', async () => {
    const { url, sidecar } = await relayInFront((request, response) => {
      if (request.method === 'GET') stream(response);
      else response.writeHead(200, { 'content-type': 'application/json' });
      response.write('data: something\n\n');
    });
    const [events, json] = [
      await fetch(url + toolPaths.mcp),
      await fetch(url + toolPaths.mcp, { method: 'POST' }),
    ];
    sidecar.closeAllConnections();
    expect(await events.text()).toBe('data: something\n\n');
    await expect(json.text()).rejects.toThrow();
  });
});

test('does not keep the relayer from closing because of open streams', async () => {
  const { app, url } = await relayInFront((_request, response) => stream(response));
  const answer = await fetch(url + toolPaths.mcp);
  await app.close();
  expect(await answer.text()).toBe('');
});
