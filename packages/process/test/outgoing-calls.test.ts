import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callNames, grpcMethod, storeOperation } from '../src/call-names.ts';
import { freePorts } from '../src/free-ports.ts';
import { observeOutgoingCalls } from '../src/outgoing-calls.ts';

let server: Server;
let origin: string;
const received: (string | undefined)[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push(request.headers['x-added'] as string | undefined);
    if (request.url === '/hangs') return;
    response.writeHead(Number(request.url!.slice(1, 4))).end('answer');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('reports how each call to a known address ended, and adds headers to it', async () => {
  const [closed] = await freePorts(1);
  const away = `http://127.0.0.1:${closed}`;
  const ended: string[] = [];
  const stop = observeOutgoingCalls({
    nameOf: callNames([
      { dependency: 'server', url: origin, operationOf: (method, path) => `${method} ${path}` },
      { dependency: 'away', url: away, operationOf: () => 'any' },
    ]),
    begin({ dependency, operation }, addHeader) {
      addHeader('x-added', 'yes');
      return (outcome, seconds) => {
        expect(seconds).toBeGreaterThan(0);
        ended.push(`${dependency} ${operation} ${outcome}`);
      };
    },
  });
  const get = async (url: string, init?: RequestInit) => (await fetch(url, init)).text();
  for (const status of [200, 404, 503]) await get(`${origin}/${status}?secret=1`);
  await get(`${away}/`).catch(() => undefined);
  const gone = new AbortController();
  const waiting = get(`${origin}/hangs`, { signal: gone.signal }).catch(() => undefined);
  await expect.poll(() => received.length).toBe(4);
  gone.abort();
  await waiting;
  await expect
    .poll(() => ended)
    .toEqual([
      'server GET /200 ok',
      'server GET /404 refused',
      'server GET /503 error',
      'away any error',
      'server GET /hangs aborted',
    ]);
  expect(received).toEqual(['yes', 'yes', 'yes', 'yes']);
  stop();
  await get(`${origin}/200`);
  expect([ended.length, received.at(-1)]).toEqual([5, undefined]);
});

test('names calls by origin and path, the first service that fits', () => {
  const service = (dependency: string, url: string) => ({ dependency, url, operationOf: () => 'x' });
  const nameOf = callNames([service('sponsor', 'http://a.test/sponsor'), service('chain', 'http://a.test')]);
  expect(nameOf('http://a.test', 'POST', '/sponsor/execute?x=1')?.dependency).toBe('sponsor');
  expect(nameOf('http://a.test', 'POST', '/sponsors')?.dependency).toBe('chain');
  expect(nameOf('http://b.test', 'POST', '/sponsor')).toBeUndefined();
});

test('operations are few, whatever a path contains', () => {
  expect(grpcMethod('POST', '/sui.rpc.v2.LedgerService/GetObject')).toBe('GetObject');
  expect(grpcMethod('POST', '/x/0xabc')).toBe('other');
  const id = 'A'.repeat(43);
  expect(storeOperation('PUT', '/v1/blobs')).toBe('store');
  expect(storeOperation('GET', `/v1/blobs/${id}`)).toBe('read');
  expect(storeOperation('GET', `/v1/quilts/${id}/patches`)).toBe('patches');
});
