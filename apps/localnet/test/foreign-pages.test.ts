import { once } from 'node:events';
import { connect } from 'node:net';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { afterEach, expect, test } from 'vitest';
import { createLocalnet, type Localnet, type LocalnetOptions } from '../src/localnet.ts';

const page = 'http://localhost:5173';
const evil = 'https://evil.example';

let localnet: Localnet | undefined;
afterEach(() => localnet?.close());

async function start(options: Partial<LocalnetOptions> = {}): Promise<string> {
  localnet = await createLocalnet({ nShards: 31, port: 0, ...options });
  return localnet.url;
}

const post = (url: string, origin: string | undefined, type = 'application/json'): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': type, ...(origin === undefined ? {} : { origin }) },
    body: JSON.stringify({ recipient: new Ed25519Keypair().toSuiAddress() }),
  });

const allowOrigin = (response: Response): string | null =>
  response.headers.get('access-control-allow-origin');

const paths = [
  '/faucet',
  '/',
  '/sui.rpc.v2.TransactionExecutionService/ExecuteTransaction',
  '/key/0/v1/fetch_key',
];

test.each(paths)('only listed pages may POST to %s', async (path) => {
  const url = (await start({ allowedOrigins: [page] })) + path;
  for (const origin of [evil, 'null', 'http://localhost:51730', url])
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const refused = await post(url, origin, type);
      expect([refused.status, allowOrigin(refused)]).toEqual([403, null]);
      expect(await refused.json()).toMatchObject({ error: 'foreign_origin' });
    }
  const preflight = { 'access-control-request-method': 'POST' };
  const asked = await fetch(url, { method: 'OPTIONS', headers: { ...preflight, origin: evil } });
  expect([asked.status, allowOrigin(asked)]).toEqual([403, null]);
  const listed = await fetch(url, { method: 'OPTIONS', headers: { ...preflight, origin: page } });
  expect([listed.ok, allowOrigin(listed)]).toEqual([true, page]);
  expect(allowOrigin(await post(url, page))).toBe(page);
  expect((await post(url, undefined)).status).not.toBe(403);
});

test('the faucet serves programs and listed pages, and any page may read', async () => {
  const url = await start({ allowedOrigins: [page] });
  expect((await post(`${url}/faucet`, undefined)).status).toBe(200);
  expect((await post(`${url}/faucet`, page)).status).toBe(200);
  expect(allowOrigin(await fetch(`${url}/info`, { headers: { origin: evil } }))).toBe('*');
});

test('without a list any page may use it', async () => {
  const url = await start();
  const answer = await post(`${url}/faucet`, evil);
  expect([answer.status, allowOrigin(answer)]).toEqual([200, '*']);
});

test.each([
  ['evil.example', 403],
  ['127.0.0.1.evil.example:9100', 403],
  ['localhost@evil.example', 403],
  ['2130706433', 403],
  ['LOCALHOST:1', 200],
  ['127.0.0.1', 200],
  ['[::1]:9100', 200],
])('Host %s gets %i', async (host, status) => {
  const { port } = new URL(await start());
  for (const target of ['/info', '/key/0/v1/service']) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(socket, 'close');
    const answered = Number(Buffer.concat(chunks).toString().split(' ')[1]);
    if (status === 403) expect(answered).toBe(403);
    else expect(answered).not.toBe(403);
  }
});
