import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { ApiError } from '@memrelay/protocol/errors';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/api/http/app.ts';
import { loopbackHosts } from '../support/loopback-hosts.ts';

const page = 'http://localhost:5173';
const logged: { route?: string; [key: string]: unknown }[] = [];
const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });

let app: FastifyInstance;
beforeAll(async () => {
  app = createApp({ log, allowedOrigins: [page], hosts: loopbackHosts, dashboardUrl: page });
  app.get('/thing', async () => ({ ok: true }));
  app.post('/thing', async () => ({ ok: true }));
  app.get('/things/:id', async (request) => request.params);
  app.post('/unforeseen', async () => {
    throw new Error('a detail that stays inside');
  });
  app.post('/busy', async () => {
    throw new ApiError('overloaded');
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
const body = (error: string) => ({ error, message: expect.any(String), request_id: expect.any(String) });

describe('request ids', () => {
  test.each(['a', 'trace:1.2_3-4', 'x'.repeat(128)])('keeps %s', async (id) => {
    const answer = await app.inject({ url: '/nowhere', headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).toBe(id);
    expect(answer.json().request_id).toBe(id);
  });

  test.each(['', 'two words', 'x'.repeat(129), 'a;b', 'é'])('replaces %s', async (id) => {
    const answer = await app.inject({ url: '/nowhere', headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).toMatch(uuid);
  });
});

test('a browser at / gets a page with the dashboard, every other request the same 404 as before', async () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const shown = await app.inject({ url: '/', headers: { accept } });
  expect([shown.statusCode, shown.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(shown.body).toContain(`<a href="${page}">`);
  expect(shown.headers['content-security-policy']).toContain("default-src 'none'");
  for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
    const answer = await app.inject({ url: '/', headers });
    expect([answer.statusCode, answer.json()]).toEqual([404, body('not_found')]);
  }
  expect((await app.inject({ url: '/nowhere', headers: { accept } })).statusCode).toBe(404);
  expect((await app.inject({ method: 'POST', url: '/', headers: { accept } })).statusCode).toBe(404);
});

describe('routes and methods', () => {
  test.each(['/nowhere', '/', '/thing/', '/Thing', '/things', '/things/1/2'])(
    'rejects %s as an unknown route',
    async (url) => {
      const answer = await app.inject({ url });
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toEqual(body('not_found'));
    },
  );

  test.each([
    ['DELETE', '/thing', 'GET, HEAD, POST'],
    ['PUT', '/things/1', 'GET, HEAD'],
    ['GET', '/busy', 'POST'],
    ['DELETE', '/things/with%20space?and=query', 'GET, HEAD'],
    ['QUERY', '/thing', 'GET, HEAD, POST'],
  ] as const)('rejects %s %s as a method that is not allowed', async (method, url, allow) => {
    const answer = await app.inject({ method: method as 'GET', url });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe(allow);
    expect(answer.json()).toEqual(body('method_not_allowed'));
  });

  test('rejects QUERY on an unknown route as unknown', async () => {
    const answer = await app.inject({ method: 'QUERY' as 'GET', url: '/nowhere' });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toEqual(body('not_found'));
  });

  test('responds to HEAD where it responds to GET, without a body', async () => {
    const answer = await app.inject({ method: 'HEAD', url: '/thing' });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe('');
    expect((await app.inject({ method: 'HEAD', url: '/busy' })).statusCode).toBe(405);
  });

  test.each([
    ['application/json', '{not json'],
    ['application/json', ''],
    ['application/xml', '<a/>'],
  ])('ignores a body of %s that no route reads', async (type, payload) => {
    const send = (url: string) =>
      app.inject({ method: 'PUT', url, payload, headers: { 'content-type': type } });
    expect((await send('/nowhere')).statusCode).toBe(404);
    expect((await send('/thing')).statusCode).toBe(405);
  });

  test('accepts a long, percent-encoded parameter', async () => {
    const long = 'i'.repeat(5_000);
    expect((await app.inject({ url: `/things/${long}` })).json()).toEqual({ id: long });
    expect((await app.inject({ url: '/things/a%2Fb' })).json()).toEqual({ id: 'a/b' });
  });

  test('returns our own error for an invalid URL path', async () => {
    const answer = await app.inject({ url: '/things/%zz', headers: { 'x-request-id': 'mine' } });
    expect(answer.statusCode).toBe(400);
    expect(answer.headers['x-request-id']).toBe('mine');
    expect(answer.json()).toEqual({
      error: 'invalid_request',
      message: expect.stringMatching(/^url: is malformed/),
      request_id: 'mine',
      details: { issues: [{ path: 'url', message: 'is malformed' }] },
    });
  });
});

describe('errors', () => {
  test('contain no details when they are unexpected', async () => {
    const answer = await app.inject({ method: 'POST', url: '/unforeseen' });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toEqual(body('internal_error'));
    expect(answer.body).not.toContain('inside');
    expect(logged.find(({ code }) => code === 'internal_error')).toMatchObject({ route: '/unforeseen' });
  });

  test('have Retry-After when they are temporary', async () => {
    const answer = await app.inject({ method: 'POST', url: '/busy' });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  });

  /** Everything that the server writes before it closes the connection. */
  async function raw(
    text: string,
  ): Promise<{ status: number; headers: string; body: { error: string; request_id: string } }> {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write(text);
    await once(socket, 'close');
    const [headers = '', payload = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
    return { status: Number(headers.split(' ')[1]), headers, body: JSON.parse(payload) };
  }

  const large = 'a'.repeat(40_000);
  test.each([
    ['no HTTP at all', 400, 'invalid_request', 'GARBAGE\r\n\r\n'],
    ['an unknown method', 400, 'invalid_request', 'BREW /thing HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['a header without a name', 400, 'invalid_request', 'GET / HTTP/1.1\r\nhost: localhost\r\n: a\r\n\r\n'],
    [
      'two lengths',
      400,
      'invalid_request',
      'POST /thing HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    ],
    ['CONNECT', 400, 'invalid_request', 'CONNECT evil.example:80 HTTP/1.1\r\nhost: localhost\r\n\r\n'],
    ['no Host', 400, 'invalid_request', 'GET /thing HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['an empty Host', 400, 'invalid_request', 'GET /thing HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n'],
    [
      'two Hosts',
      400,
      'invalid_request',
      'GET /thing HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    ],
    [
      'an expectation that cannot be met',
      417,
      'expectation_failed',
      'POST /thing HTTP/1.1\r\nhost: localhost\r\nexpect: tea\r\nconnection: close\r\n\r\n',
    ],
    [
      'headers over the limit',
      431,
      'headers_too_large',
      `GET /thing HTTP/1.1\r\nhost: localhost\r\nx-large: ${large}\r\n\r\n`,
    ],
    [
      'a target over the limit',
      431,
      'headers_too_large',
      `GET /${large} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    ],
    [
      'chunk extensions over the limit',
      413,
      'payload_too_large',
      `POST /thing HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n1;${large}\r\na\r\n0\r\n\r\n`,
    ],
  ])('%s: %i %s', async (_what, status, code, text) => {
    const answer = await raw(text);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual(body(code));
    expect(answer.headers).toMatch(/^content-type: application\/json/m);
    expect(answer.headers).toContain(`x-request-id: ${answer.body.request_id}`);
  });

  test('keep the id of a rejected request', async () => {
    const answer = await raw('GET /thing HTTP/1.1\r\nx-request-id: mine\r\nconnection: close\r\n\r\n');
    expect(answer.body.request_id).toBe('mine');
  });

  test('do not require Host for HTTP/1.0', async () => {
    expect((await raw('GET /thing HTTP/1.0\r\n\r\n')).status).toBe(200);
  });
});

test('log the route, never the path with its ids', async () => {
  logged.length = 0;
  await app.inject({ url: '/things/some-id' });
  expect(logged).toMatchObject([{ route: '/things/:id', method: 'GET', status: 200 }]);
  expect(JSON.stringify(logged)).not.toContain('some-id');
});

describe('browsers', () => {
  test('of an allowed origin may call and read what they need', async () => {
    const answer = await app.inject({ url: '/thing', headers: { origin: page } });
    expect(answer.headers['access-control-allow-origin']).toBe(page);
    const exposed = String(answer.headers['access-control-expose-headers']).split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['x-request-id', 'retry-after', 'ratelimit', 'mcp-session-id']),
    );
    const refused = await app.inject({ url: '/nowhere', headers: { origin: page } });
    expect(refused.headers['access-control-allow-origin']).toBe(page);
  });

  test('may send and read every header and method that preflights list', async () => {
    const answer = await app.inject({
      method: 'OPTIONS',
      url: '/any/path',
      headers: { origin: page, 'access-control-request-method': 'DELETE' },
    });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers['access-control-allow-methods']).toContain('DELETE');
    const allowed = String(answer.headers['access-control-allow-headers']).split(', ');
    for (const name of 'x-public-key x-signature x-timestamp x-nonce x-account-id x-enc-session x-delegate-key authorization content-type idempotency-key mcp-session-id mcp-protocol-version last-event-id'.split(
      ' ',
    ))
      expect(allowed).toContain(name);
  });

  test.each(['http://localhost:5174', 'https://localhost:5173', 'null', `${page}.evil.example`])(
    'of %s are rejected',
    async (origin) => {
      for (const method of ['GET', 'OPTIONS'] as const) {
        const answer = await app.inject({ method, url: '/thing', headers: { origin } });
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
        expect(answer.headers.vary).toBe('origin');
      }
    },
  );
});
