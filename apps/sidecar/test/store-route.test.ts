import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { computeBlobId } from '@memrelay/blob-id/blob-id';
import { startTestNetwork, type TestNetwork } from '@memrelay/dev-env/test-network';
import type { Network } from '@memrelay/protocol/networks';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../src/config/config.ts';
import { startSidecar } from '../src/sidecar.ts';

const { blobId } = computeBlobId(Buffer.from('an envelope'), { nShards: 1000 });
const token = 'a-token-of-16-up';
const open: { close(): Promise<unknown> }[] = [];
let testNetwork: TestNetwork;
/** Variables for the chain that the sidecar reads at startup, regardless of CHAIN_NETWORK */
let chain: Record<string, string>;
beforeAll(async () => {
  testNetwork = await startTestNetwork();
  const { walrus, keyServers } = testNetwork.info;
  chain = {
    CHAIN_RPC_URL: testNetwork.chainUrl,
    STORE_SYSTEM_OBJECT_ID: walrus.systemObjectId,
    STORE_STAKING_OBJECT_ID: walrus.stakingObjectId,
    ENC_SERVER_CONFIGS: JSON.stringify(keyServers.map(({ objectId, weight }) => ({ objectId, weight }))),
  };
});
afterAll(() => testNetwork?.close());
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.close();
});

/** A sidecar for this network, with a publisher that records the requested number of epochs. */
async function uploader(network: Network): Promise<(query?: string, bearer?: string) => Promise<number>> {
  const server = createServer((request, response) => {
    request.resume();
    epochs.push(new URL(request.url!, 'http://publisher').searchParams.get('epochs'));
    const stored = { alreadyCertified: { blobId, endEpoch: 9 } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(stored));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) });
  const config = await loadConfig({
    SIDECAR_AUTH_TOKEN: token,
    MEM_PACKAGE_ID: testNetwork.info.packageId,
    CHAIN_NETWORK: network,
    ...chain,
    STORE_PUBLISHER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  const sidecar = await startSidecar({ ...config, port: 0 }, pino({ enabled: false }));
  open.push(sidecar);
  const epochs: (string | null)[] = [];
  return async (query = '', bearer = token) => {
    const response = await fetch(`${sidecar.url}/store/upload?owner=0x${'1'.repeat(64)}&job_id=j${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/octet-stream' },
      body: 'an envelope',
    });
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      const { token: start } = JSON.parse(part.split('\n')[0]!);
      if (start && response.ok) await begin(sidecar.url, start);
    }
    return response.ok ? Number(epochs.pop()) : -response.status;
  };
}

const begin = async (url: string, start: string): Promise<unknown> => {
  const response = await fetch(`${url}/store/upload/begin`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ token: start }),
  });
  return response.json();
};

test.each([
  ['testnet', 50],
  ['mainnet', 2],
] as const)('an upload on %s stores for %i epochs by default', async (network, epochs) => {
  const upload = await uploader(network);
  expect(await upload()).toBe(epochs);
  expect(await upload('&epochs=7')).toBe(7);
});

test.each(['0', '54', '1.5', 'many'])('an upload for %s epochs is rejected', async (epochs) => {
  const upload = await uploader('testnet');
  expect(await upload(`&epochs=${epochs}`)).toBe(-400);
});

test('an upload without the token is rejected', async () => {
  const upload = await uploader('testnet');
  expect(await upload('', 'another-token-of-16')).toBe(-401);
});
