import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { blobIdOf, type ErrorAnswer, refusal, sharedStore } from './running-store.ts';

const store = sharedStore();

test('the status is OK', async () => {
  const url = store();
  const response = await fetch(`${url}/status`);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('OK');
  expect((await fetch(`${url}/status`, { method: 'HEAD' })).status).toBe(200);
});

test('an error has exactly the keys of the envelope', async () => {
  const url = store();
  const response = await fetch(`${url}/v1/blobs/${'A'.repeat(43)}`);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.text()).toBe(
    '{"error":{"status":"NOT_FOUND","code":404,"message":"the requested blob ID does not exist on Walrus, ' +
      'ensure that it was entered correctly","details":[{"@type":"ErrorInfo","reason":"BLOB_NOT_FOUND",' +
      '"domain":"daemon.walrus.space","metadata":{}}]}}',
  );
});

test('a browser at / gets a page that describes the service', async () => {
  const response = await fetch(store(), { headers: { accept: 'text/html,*/*;q=0.8' } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await response.text()).toContain('Walrus publisher and aggregator');
});

test.each(['/', '/nope', '/v1/store', '/health', '/status/'])('%s is unknown', async (path) => {
  const url = store();
  expect(await refusal(await fetch(`${url}${path}`))).toEqual({ status: 404, reason: 'ROUTE_NOT_FOUND' });
});

test.each([
  ['POST', '/v1/blobs', 'PUT'],
  ['GET', '/v1/blobs', 'PUT'],
  ['DELETE', `/v1/blobs/${'A'.repeat(43)}`, 'GET,HEAD'],
  ['PUT', '/status', 'GET,HEAD'],
])('%s %s is not allowed', async (method, path, allow) => {
  const url = store();
  const response = await fetch(`${url}${path}`, { method });
  expect(response.headers.get('allow')).toBe(allow);
  expect(await refusal(response)).toEqual({ status: 405, reason: 'METHOD_NOT_ALLOWED' });
});

/** Sends raw bytes and returns the head and body of the response. */
async function exchange(text: string): Promise<{ head: string; body: ErrorAnswer }> {
  const socket = connect(Number(new URL(store()).port), '127.0.0.1');
  socket.end(text);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  await once(socket, 'close');
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { head, body: JSON.parse(body) as ErrorAnswer };
}

test.each([
  ['TRACE', `/v1/blobs/${'A'.repeat(43)}`, 'GET,HEAD'],
  ['PROPFIND', '/v1/blobs', 'PUT'],
  ['QUERY', '/v1/blobs', 'PUT'],
  ['PURGE', '/status', 'GET,HEAD'],
  ['POST', '/v1/blobs', 'PUT', 'content-type: ;;'],
])('%s %s, which few clients can send, is not allowed either', async (method, path, allow, ...headers) => {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost', 'connection: close', ...headers, '', ''];
  const { head, body } = await exchange(lines.join('\r\n'));
  expect(head).toMatch(/^HTTP\/1.1 405 /);
  expect(head).toContain(`allow: ${allow}\r\n`);
  expect(body.error.details[0]).toMatchObject({ reason: 'METHOD_NOT_ALLOWED' });
});

test('an unknown expectation is rejected with the envelope', async () => {
  const request =
    'PUT /v1/blobs HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nexpect: more\r\ncontent-length: 0\r\n\r\n';
  const { head, body } = await exchange(request);
  expect(head).toMatch(/^HTTP\/1.1 417 /);
  expect(head).toContain('access-control-allow-origin: *');
  expect(body.error.code).toBe(417);
});

describe('Host', () => {
  test.each([
    ['HTTP/1.1', []],
    ['HTTP/1.1', ['host: a', 'host: b']],
    ['HTTP/1.1', ['host: a', 'Host: a']],
    ['HTTP/1.0', ['host: a', 'host: b']],
  ])('a request of %s with the hosts %j is malformed for every method and path', async (version, hosts) => {
    for (const target of [
      `GET /v1/blobs/${'A'.repeat(43)}`,
      'OPTIONS /v1/blobs',
      'PUT /v1/blobs',
      'GET /nope',
    ]) {
      const lines = [`${target} ${version}`, ...hosts, 'connection: close', '', ''];
      const { head, body } = await exchange(lines.join('\r\n'));
      expect(head).toMatch(/^HTTP\/1.1 400 /);
      expect(head).toContain('access-control-allow-origin: *');
      expect(head).toMatch(/x-request-id: \S/);
      expect(body.error.details[0]).toMatchObject({ reason: 'MALFORMED_REQUEST' });
    }
  });

  test('one host, or HTTP/1.0 without a host, is served', async () => {
    for (const rest of ['HTTP/1.1\r\nhost: localhost', 'HTTP/1.1\r\nhost:', 'HTTP/1.0']) {
      const { body } = await exchange(`GET /v1/blobs/${'A'.repeat(43)} ${rest}\r\nconnection: close\r\n\r\n`);
      expect(body.error.code).toBe(404);
    }
  });
});

test('every response can be read by a page of another origin', async () => {
  const url = store();
  const blobId = await blobIdOf(url, 'hello');
  const exposed = 'ETag, Content-Range, X-Quilt-Patch-Identifier';
  for (const path of ['/status', `/v1/blobs/${blobId}`, '/nope', '/v1/blobs/short', '/v1/blobs/%zz']) {
    const response = await fetch(`${url}${path}`, { headers: { origin: 'https://example.org' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toBe(exposed);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('a preflight is answered for any path', async () => {
  const url = store();
  for (const path of ['/v1/blobs', '/nope']) {
    const response = await fetch(`${url}${path}`, { method: 'OPTIONS' });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toBe('*');
    expect(response.headers.get('access-control-allow-headers')).toBe('*');
    expect(response.headers.get('access-control-max-age')).toBe('86400');
  }
});

test('a valid request id is kept, any other is replaced', async () => {
  const url = store();
  const kept = await fetch(`${url}/status`, { headers: { 'x-request-id': 'job-7:a.b_c' } });
  expect(kept.headers.get('x-request-id')).toBe('job-7:a.b_c');
  const replaced = await fetch(`${url}/status`, { headers: { 'x-request-id': 'a b"c' } });
  expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('a path that cannot be decoded is a 400 envelope', async () => {
  const url = store();
  const response = await fetch(`${url}/v1/blobs/%zz`);
  expect(await refusal(response)).toEqual({ status: 400, reason: 'MALFORMED_REQUEST' });
});

test.each([
  ['this is not http\r\n\r\n', 400],
  [`GET /status HTTP/1.1\r\nhost: localhost\r\nbig: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
])('requests that the parser rejects get the envelope too', async (request, status) => {
  const { head, body } = await exchange(request);
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(body.error.code).toBe(status);
});
