import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { type ErrorAnswer, putNew, startStore } from './running-store.ts';

const page = 'http://localhost:5173';
const evil = 'https://evil.example';
const allowOrigin = (response: Response): string | null =>
  response.headers.get('access-control-allow-origin');
const reasonOf = ({ error }: ErrorAnswer): unknown => error.details[0]?.reason;

const writes = [
  ['PUT', '/v1/blobs'],
  ['PUT', '/v1/quilts'],
  ['POST', '/v1/blob-upload-relay'],
  ['POST', '/v1/blobs/concat'],
] as const;

test.each(writes)('with --allowed-origins other pages may not %s %s', async (method, path) => {
  const { url } = await startStore({ allowedOrigins: [page] });
  const send = (origin: string, type: string): Promise<Response> =>
    fetch(url + path, { method, headers: { origin, 'content-type': type }, body: 'bytes' });
  for (const origin of [evil, 'null', url])
    for (const type of ['text/plain', 'multipart/form-data; boundary=x']) {
      const refused = await send(origin, type);
      expect([refused.status, allowOrigin(refused)]).toEqual([403, null]);
      expect(reasonOf((await refused.json()) as ErrorAnswer)).toBe('ORIGIN_NOT_ALLOWED');
    }
  const ask = (origin: string): Promise<Response> =>
    fetch(url + path, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': method } });
  expect((await ask(evil)).status).toBe(403);
  expect(allowOrigin(await ask(page))).toBe(page);
  expect(allowOrigin(await send(page, 'text/plain'))).toBe(page);
});

test('with --allowed-origins programs and listed pages may store, and any page may read', async () => {
  const { url } = await startStore({ allowedOrigins: [page] });
  const { blobId } = (await putNew(url, 'by a program')).blobObject;
  const stored = await fetch(`${url}/v1/blobs`, {
    method: 'PUT',
    headers: { origin: page },
    body: 'by a page',
  });
  expect([stored.status, allowOrigin(stored)]).toEqual([200, page]);
  const read = await fetch(`${url}/v1/blobs/${blobId}`, { headers: { origin: evil } });
  expect([read.status, allowOrigin(read)]).toEqual([200, '*']);
});

test('without it any page may store, as with the real daemons', async () => {
  const { url } = await startStore();
  const stored = await fetch(`${url}/v1/blobs`, { method: 'PUT', headers: { origin: evil }, body: 'any' });
  expect([stored.status, allowOrigin(stored)]).toEqual([200, '*']);
});

/** The status of `GET /status` with this Host. */
async function statusWith(port: number, host: string, to = '127.0.0.1'): Promise<number> {
  const socket = connect(port, to);
  socket.write(`GET /status HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Number(Buffer.concat(chunks).toString().split(' ')[1]);
}

test.each([undefined, 'localhost', '127.0.0.1', '::1'])(
  'only loopback names are accepted on the loopback address %s',
  async (host) => {
    const store = await startStore(host === undefined ? {} : { host });
    const port = Number(new URL(store.url).port);
    const to = host === '::1' ? host : '127.0.0.1';
    for (const name of ['localhost', `LOCALHOST:${port}`, '127.0.0.1:1', '[::1]'])
      expect(await statusWith(port, name, to)).toBe(200);
    for (const name of ['evil.example', `127.0.0.1.evil.example:${port}`, 'a@localhost', '2130706433', '::1'])
      expect(await statusWith(port, name, to)).toBe(403);
  },
);

const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

test('any name is accepted on all addresses, as by the real daemons', async () => {
  const port = Number(new URL((await startStore({ host: '0.0.0.0' })).url).port);
  for (const name of ['store.example', 'localhost', outside ?? '10.0.0.2'])
    expect(await statusWith(port, name)).toBe(200);
});
