import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { createApp } from '../../src/api/http/app.ts';
import { type ListenerOptions, prepareListener } from '../../src/api/http/listener.ts';
import { ConfigError } from '../../src/base/config/config-error.ts';

const apps: FastifyInstance[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

interface Server {
  port: number;
  /** The address at which this machine reaches it */
  url: string;
  warnings: string[];
}

async function listen(options: Partial<ListenerOptions> & { listenHost: string }): Promise<Server> {
  const warnings: string[] = [];
  const log = pino({}, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
  const listener = await prepareListener(
    { allowedHosts: [], publicUrl: undefined, trustedProxyHops: 0, ...options },
    log,
  );
  const silent = pino({ enabled: false });
  const app = createApp({ log: silent, allowedOrigins: [], hosts: listener.hosts });
  apps.push(app);
  for (const path of ['/version', '/live', '/ready']) app.get(path, async () => ({ ok: true }));
  await app.listen({ host: options.listenHost, port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { port, url: listener.urlAt(port), warnings };
}

/** Status and error code of a request with exactly this Host. */
async function ask(
  port: number,
  host: string,
  { target = '/version', to = '127.0.0.1' } = {},
): Promise<[number, string | undefined]> {
  const socket = connect(port, to);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  await once(socket, 'close');
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  return [Number(head.split(' ')[1]), JSON.parse(body).error];
}

const refused = [403, 'host_not_allowed'];
const answered = [200, undefined];
/** An address of this machine that other machines can reach */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

describe('on loopback', () => {
  test('accepts loopback names, and no name that may have been rebound', async () => {
    const { port, warnings } = await listen({ listenHost: '127.0.0.1' });
    for (const host of ['localhost', `LocalHost:${port}`, '127.0.0.1:1', '[::1]'])
      expect(await ask(port, host)).toEqual(answered);
    for (const host of ['evil.example', `127.0.0.1.evil.example:${port}`, 'a@localhost', '2130706433', '::1'])
      expect(await ask(port, host)).toEqual(refused);
    expect(await ask(port, 'localhost', { target: 'http://evil.example/version' })).toEqual(refused);
    expect(await ask(port, 'evil.example', { target: 'http://localhost/version' })).toEqual(refused);
    expect(await ask(port, 'evil.example', { target: '/live' })).toEqual(refused);
    expect(warnings).toEqual([]);
  });

  test('accepts the names of ALLOWED_HOSTS and PUBLIC_RELAYER_URL, which a proxy may pass on', async () => {
    const { port } = await listen({
      listenHost: '127.0.0.1',
      allowedHosts: ['api.example.com'],
      publicUrl: 'https://tunnel.example:8443',
    });
    expect(await ask(port, 'api.example.com')).toEqual(answered);
    expect(await ask(port, 'tunnel.example:8443')).toEqual(answered);
    expect(await ask(port, 'tunnel.example')).toEqual(refused);
  });

  test('warns about a proxy whose names are not listed', async () => {
    const { warnings } = await listen({ listenHost: '127.0.0.1', trustedProxyHops: 1 });
    expect(warnings).toEqual([expect.stringContaining('ALLOWED_HOSTS')]);
  });

  test('listens on IPv6 and on names', async () => {
    const v6 = await listen({ listenHost: '::1' });
    expect(v6.url).toBe(`http://[::1]:${v6.port}`);
    expect(await ask(v6.port, `[::1]:${v6.port}`, { to: '::1' })).toEqual(answered);
    expect(await ask(v6.port, 'evil.example', { to: '::1' })).toEqual(refused);
    const localhost = await listen({ listenHost: 'localhost' });
    expect((await fetch(`${localhost.url}/version`)).status).toBe(200);
    expect(await ask(localhost.port, 'evil.example')).toEqual(refused);
    const other = await listen({ listenHost: '127.0.0.2' });
    expect((await fetch(`${other.url}/version`)).status).toBe(200);
    expect(await ask(other.port, 'evil.example', { to: '127.0.0.2' })).toEqual(refused);
  });
});

describe('on all addresses', () => {
  test.each([['0.0.0.0'], ['::']])('%s: accepts the names of ALLOWED_HOSTS', async (listenHost) => {
    const { port, url, warnings } = await listen({
      listenHost,
      allowedHosts: ['Api.Example.com', 'b.example:8443'],
    });
    for (const host of ['api.example.com', 'API.EXAMPLE.COM.:99', 'b.example:8443'])
      expect(await ask(port, host)).toEqual(answered);
    for (const host of ['b.example', 'c.example', 'api.example.com.evil.example'])
      expect(await ask(port, host)).toEqual(refused);
    for (const target of ['/live', '/ready?now', 'http://evil.example/live'])
      expect(await ask(port, 'evil.example', { target })).toEqual(answered);
    // As the sidecar calls
    expect((await fetch(`${url}/version`)).status).toBe(200);
    expect(await ask(port, 'localhost')).toEqual(answered);
    expect(warnings).toEqual([]);
  });

  test('accepts any name without ALLOWED_HOSTS, and warns once', async () => {
    const { port, warnings } = await listen({ listenHost: '0.0.0.0', publicUrl: 'https://a.example' });
    expect(await ask(port, 'b.example')).toEqual(answered);
    expect(await ask(port, 'c.example')).toEqual(answered);
    expect(warnings).toEqual([expect.stringContaining('ALLOWED_HOSTS')]);
  });

  test.skipIf(outside === undefined)('accepts loopback names only from this machine', async () => {
    const { port } = await listen({
      listenHost: '0.0.0.0',
      allowedHosts: ['api.example.com'],
      publicUrl: 'http://127.0.0.1:8000',
    });
    expect(await ask(port, 'api.example.com', { to: outside! })).toEqual(answered);
    expect(await ask(port, outside!, { to: outside! })).toEqual(refused);
    expect(await ask(port, '127.0.0.1:8000')).toEqual(answered);
  });

  test.skipIf(outside === undefined)('is reachable when it listens on one address', async () => {
    const { url } = await listen({ listenHost: outside!, allowedHosts: ['api.example.com'] });
    expect(url).toContain(outside);
    expect((await fetch(`${url}/version`)).status).toBe(200);
  });
});

test.each(['203.0.113.1', 'no-such-name.invalid', '2001:db8::1'])(
  'names MEM_LISTEN_HOST when this machine cannot listen on %s',
  async (listenHost) => {
    const failure = await listen({ listenHost }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect((failure as ConfigError).problems).toEqual([expect.stringMatching(/^MEM_LISTEN_HOST: /)]);
  },
);
