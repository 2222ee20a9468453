import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { PartStartError } from '@memrelay/process/start-part';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner } from '../../src/test-owner.ts';
import { startTestRelayer } from '../../src/test-relayer.ts';

/** Tests a relayer that clients reach from outside its machine or container. */

let network: TestNetwork;
let backend: TestBackend;
beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
});
afterAll(async () => {
  await Promise.all([network?.close(), backend?.drop()]);
});

/** An address of this machine that other machines can reach */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

test('serves other machines and its own sidecar when it listens on all addresses', async () => {
  const relayer = await startTestRelayer(network, {
    ...backend,
    environment: { MEM_LISTEN_HOST: '0.0.0.0', ALLOWED_HOSTS: 'memory.example' },
  });
  const owner = await createTestOwner(network);
  const client = owner.client(relayer.url);
  await client.rememberAndWait('Ana takes lemon in her tea');
  client.destroy();

  // The sidecar calls the relayer back for every tool call
  const tools = new Client({ name: 'test', version: '1.0.0' });
  const headers = {
    authorization: `Bearer ${owner.delegate.privateKey}`,
    'x-mem-account-id': owner.accountId,
  };
  await tools.connect(
    new StreamableHTTPClientTransport(new URL(`${relayer.url}/api/mcp`), { requestInit: { headers } }),
  );
  const found = await tools.callTool({ name: 'mem_recall', arguments: { query: 'what does Ana drink?' } });
  expect(JSON.stringify(found.content)).toContain('lemon');
  await tools.close();

  const { port } = new URL(relayer.url);
  const ask = async (host: string, path: string): Promise<[number, string]> => {
    const outgoing = request({ host: outside ?? '127.0.0.1', port, path, headers: { host } }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return [response.statusCode!, await text(response)];
  };
  for (const path of ['/health', '/version', '/config']) {
    expect((await ask('memory.example', path))[0]).toBe(200);
    expect(await ask('evil.example', path)).toEqual([403, expect.stringContaining('host_not_allowed')]);
  }
  expect((await ask('10.1.2.3:8000', '/live'))[0]).toBe(200);
  await relayer.stop();
});

test.each(['203.0.113.1', '0.0.0.0:8000'])(
  'stops the boot with one clear line for MEM_LISTEN_HOST=%s',
  async (value) => {
    const start = startTestRelayer(network, { ...backend, environment: { MEM_LISTEN_HOST: value } });
    const error = await start.catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(PartStartError);
    const { stderr, exitCode } = error as PartStartError;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^memrelay relayer: MEM_LISTEN_HOST: .*$/m);
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);
