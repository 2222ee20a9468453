import { ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import { freePorts } from '@memrelay/process/free-ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandEnd, commandOf, runMemrelay } from '../../src/memrelay-command.ts';
import { createTestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner } from '../../src/test-owner.ts';
import { startTestRelayer } from '../../src/test-relayer.ts';

let network: TestNetwork;
beforeAll(async () => {
  network = await startTestNetwork();
});
afterAll(() => network?.close());

function cost(...args: string[]): Promise<CommandEnd> {
  return runMemrelay(['cost', ...args], { CHAIN_NETWORK: 'localnet', CHAIN_RPC_URL: network.chainUrl });
}

test('memrelay cost prints storage costs at on-chain prices, for single blobs and for quilts', async () => {
  const { code, stdout } = await cost('--json', '--memories', '1000', '--bytes', '300', '--epochs', '2');
  expect(code).toBe(0);
  // 31 shards: 231 symbols of 8 bytes for an envelope; a quilt of 20 has columns of 11 × 154 bytes
  const encoded = (symbol: number) => 31 * ((11 + 21) * symbol + 31 * 64 + 32);
  expect(JSON.parse(stdout)).toEqual({
    network: 'localnet',
    epoch: 1,
    shards: 31,
    storage_price_frost: '100000',
    write_price_frost: '20000',
    memories: 1000,
    text_bytes: 300,
    envelope_bytes: 1600,
    epochs: 2,
    alone: {
      blobs: 1000,
      encoded_bytes: String(1000 * encoded(8)),
      minimum_share: 1,
      storage_frost: String(1000 * 2 * 100_000),
      write_frost: String(1000 * 20_000),
      total_frost: String(1000 * 220_000),
      assumed_gas_mist: String(1000 * 10_000_000),
    },
    quilted: {
      per_quilt: 20,
      blobs: 50,
      encoded_bytes: String(50 * encoded(154)),
      minimum_share: 1,
      storage_frost: String(50 * 2 * 100_000),
      write_frost: String(50 * 20_000),
      total_frost: String(50 * 220_000),
      assumed_gas_mist: String(50 * 10_000_000),
    },
  });
  const shown = await cost('--epochs', '2');
  expect(shown.stdout).toMatch(/^ +each alone +quilts of 20$/m);
  expect(shown.stdout).toMatch(/^In all +0\.22 WAL +0\.011 WAL$/m);
});

test('envelopes have the size that memrelay cost assumes', async () => {
  const backend = await createTestBackend();
  const relayer = await startTestRelayer(network, backend);
  const owner = await createTestOwner(network);
  const client = owner.client(relayer.url);
  await client.rememberAndWait('a'.repeat(300));
  const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
  const sizes = [];
  for await (const { size } of ownedBlobs(network.chain, walrus, owner.wallet.address))
    sizes.push(Number(size));
  expect(sizes).toEqual([JSON.parse((await cost('--json', '--bytes', '300')).stdout).envelope_bytes]);
  const stats = await (await commandOf(network, owner, relayer.url))('stats', '--forecast');
  // The localnet stores for 53 epochs
  expect(stats).toMatchObject({
    code: 0,
    last: { memory_count: 1, forecast: { epochs: 53, per_quilt: 20 } },
  });
  expect(Number(stats.last.forecast.alone_frost)).toBeGreaterThan(0);
  client.destroy();
  await relayer.stop();
  await backend.drop();
});

test('distinguishes a wrong call from an unreachable network', async () => {
  for (const args of [
    ['--network', 'devnet'],
    ['--memories', '0'],
    ['--quilt', '21'],
    ['--epochs', '54'],
    ['--rpc', 'nowhere'],
    // Another network's system object does not exist on this chain
    ['--network', 'testnet'],
  ]) {
    const { code, stderr } = await cost(...args);
    expect([args, code]).toEqual([args, 2]);
    expect(stderr).not.toContain('    at ');
  }
  const [port] = await freePorts(1);
  for (const name of ['localnet', 'mainnet']) {
    const away = await cost('--network', name, '--rpc', `http://127.0.0.1:${port}/key-of-mine`);
    expect(away.code).toBe(3);
    expect(away.stderr).toContain(`No node of ${name} answers`);
    expect(away.stderr).not.toContain('key-of-mine');
  }
});
