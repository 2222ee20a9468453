import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HttpProxy, startHttpProxy } from './http-proxy.ts';

/** The server behind the proxy. It records the bodies that arrived completely, and responds with 100 characters. */
let server: Server;
let proxy: HttpProxy;
const bodies: string[] = [];
beforeEach(async () => {
  bodies.length = 0;
  server = createServer(async (request, response) => {
    let body = '';
    try {
      for await (const part of request.setEncoding('utf8')) body += part;
    } catch {
      return;
    }
    bodies.push(body);
    response.end('a'.repeat(100));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = await startHttpProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(async () => {
  await proxy.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const put = async (body: string): Promise<{ status: number; text: string }> => {
  const response = await fetch(proxy.url, { method: 'PUT', body });
  return { status: response.status, text: await response.text() };
};
const well = { status: 200, text: 'a'.repeat(100) };

test('forwards requests without a fault, and applies a fault to the requested number of requests', async () => {
  const armed = proxy.arm('PUT', { kind: 'status', status: 429, retryAfter: 1 }, 2);
  expect((await put('one')).status).toBe(429);
  expect((await put('two')).status).toBe(429);
  expect(await put('three')).toEqual(well);
  expect([armed.hits(), bodies]).toEqual([2, ['three']]);
  expect(proxy.statuses.get(200)).toBe(1);
});

test('cuts a response in the middle after the request was executed, and a request before that', async () => {
  proxy.arm('PUT', { kind: 'cut-answer' });
  await expect(put('carried out')).rejects.toThrow();
  const armed = proxy.arm('PUT', { kind: 'cut-request' });
  await expect(put('half of it')).rejects.toThrow();
  await armed.met;
  expect(bodies).toEqual(['carried out']);
});

test('executes a request after its caller gave up', async () => {
  const armed = proxy.arm('PUT', { kind: 'late', afterMs: 50 });
  await expect(put('late')).rejects.toThrow();
  expect([bodies, proxy.lateRequests()]).toEqual([[], 1]);
  await armed.met;
  expect([bodies, proxy.lateRequests()]).toEqual([['late'], 0]);
});

test('holds a request or its response until it is released', async () => {
  for (const kind of ['hold-request', 'hold-answer'] as const) {
    const armed = proxy.arm('PUT', { kind });
    const answer = put(kind);
    await armed.met;
    expect(bodies.includes(kind)).toBe(kind === 'hold-answer');
    armed.release();
    expect(await answer).toEqual(well);
  }
});
