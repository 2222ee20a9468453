import { createServer } from 'node:http';
import { executeTransaction } from '@memrelay/chain/execute-transaction';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { readWalCoins } from '@memrelay/chain/wal-coins';
import { readWalrusTariff } from '@memrelay/chain/walrus-prices';
import { encodedBlobLength, storageCost } from '@memrelay/chain/walrus-sizes';
import { freePorts } from '@memrelay/process/free-ports';
import { Transaction } from '@mysten/sui/transactions';
import { askFaucet } from 'memrelay/system/network-info';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { endLeases, makeRetriesDue } from '../../src/pass-time.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey, type TestKey } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';
import { startWebhook, type Webhook } from '../../src/webhook.ts';

/** Tests the alerts that complete relayers send to the operator through ALERT_TO_SLACK. */

let network: TestNetwork;
let backend: TestBackend;
let hook: Webhook | undefined;
let relayer: TestRelayer | undefined;
beforeAll(async () => {
  network = await startTestNetwork();
});
afterEach(async () => {
  await relayer?.stop();
  await hook?.close();
  await backend?.drop();
});
afterAll(() => network?.close());

test('posts a failure exactly once, by the next relayer, when the first is killed before posting', async () => {
  const failing = createServer((_request, response) => response.writeHead(503).end());
  const [webhookPort, publisherPort] = (await freePorts(2)) as [number, number];
  await new Promise<void>((resolve) => failing.listen(publisherPort, '127.0.0.1', resolve));
  hook = await startWebhook(webhookPort);
  const { url: webhookUrl, secret } = hook;
  await hook.close();
  hook = undefined;
  backend = await createTestBackend();
  relayer = await startTestRelayer(network, {
    ...backend,
    environment: { STORE_PUBLISHER_URL: `http://127.0.0.1:${publisherPort}`, ALERT_TO_SLACK: webhookUrl },
  });
  const owner = await createTestOwner(network);
  const client = owner.client(relayer.url, { deadlineMs: 60_000 });
  const { jobId } = await client.remember('the launch code is 0000', { namespace: 'missile silo' });
  const status = async () => {
    await makeRetriesDue(relayer!);
    return (await client.job(jobId)).status;
  };
  await expect.poll(status, { timeout: 60_000 }).toBe('failed');
  await relayer.kill();
  await endLeases(relayer);
  hook = await startWebhook(webhookPort);
  expect(hook.posts).toEqual([]);
  await relayer.start();
  await expect.poll(() => hook!.taken.length, { timeout: 60_000 }).toBe(1);
  expect(hook.taken[0]).toContain(`Job ${jobId}`);
  expect(hook.taken[0]).toContain('the publisher answered 503');
  expect(hook.taken[0]).not.toMatch(/missile|silo|launch|0000\b/);
  // The log line is written after the row was removed, so nothing is left to post
  await expect.poll(() => relayer!.logs(), { timeout: 10_000 }).toContain('alerts were posted');
  expect(relayer.logs()).not.toContain(secret);
  expect(hook.posts).toHaveLength(1);
  client.destroy();
  failing.closeAllConnections();
  await new Promise((resolve) => failing.close(resolve));
}, 180_000);

test('reports an empty and a refilled wallet once each, and /ready counts the wallets that can pay', async () => {
  hook = await startWebhook();
  // Posts fail until everything has happened, so that one message contains all of it
  hook.usual = { status: 503 };
  const [rich, poor, server] = [newTestKey(), newTestKey(), newTestKey()];
  await Promise.all([rich, poor].map(({ address }) => askFaucet(network.chainUrl, address)));
  backend = await createTestBackend();
  const options = {
    ...backend,
    environment: {
      STORE_PUBLISHER_URL: '',
      STORE_UPLOAD_RELAY_URL: network.blobstoreUrl,
      SERVER_CHAIN_PRIVATE_KEYS: `${rich.privateKey},${poor.privateKey}`,
      SERVER_CHAIN_PRIVATE_KEY: server.privateKey,
      SPONSOR_FALLBACK_TO_DIRECT_SIGN: 'true',
      ALERT_TO_SLACK: hook.url,
    },
  };
  relayer = await startTestRelayer(network, options);
  await untilLogged('a wallet is empty', 1);
  expect(await uploadWallets()).toEqual({ ok: true, detail: '2 of 2 can pay for an upload' });

  // A start checks the wallets immediately
  await keepWal(poor, 50n * (await priceOfUpload()));
  await relayer.stop();
  await relayer.start();
  await untilLogged('a wallet runs low', 1);
  expect(await uploadWallets()).toEqual({ ok: true, detail: '2 of 2 can pay for an upload' });

  await keepWal(poor, 0n);
  await relayer.stop();
  await relayer.start();
  await untilLogged('a wallet is empty', 2);
  expect(await uploadWallets()).toEqual({ ok: true, detail: '1 of 2 can pay for an upload' });

  await askFaucet(network.chainUrl, poor.address);
  await relayer.stop();
  await relayer.start();
  await untilLogged('a wallet was filled', 1);

  hook.usual = { status: 200 };
  const posted = async () => {
    await makeRetriesDue(relayer!);
    return hook!.taken.length;
  };
  await expect.poll(posted, { timeout: 60_000 }).toBe(1);
  const [text] = hook.taken;
  expect(text).toContain(`Wallet ${poor.address} pays for about 50 more uploads; WAL runs out first`);
  expect(text).toContain(`Wallet ${poor.address} cannot pay for uploads any more: too little WAL`);
  expect(text).toContain(`Wallet ${poor.address} was filled`);
  expect(text).toContain(`Wallet ${server.address} cannot pay for sponsored transactions any more`);
  expect(text!.match(/Wallet 0x/g)).toHaveLength(4);
  expect(text).not.toContain(rich.address);
}, 180_000);

const untilLogged = (message: string, times: number) =>
  expect.poll(() => relayer!.logs().split(`"msg":"${message}"`).length - 1, { timeout: 30_000 }).toBe(times);

async function uploadWallets(): Promise<unknown> {
  const response = await fetch(`${relayer!.url}/ready`);
  expect(response.status).toBe(200);
  const { checks, ready, accepts_writes } = (await response.json()) as {
    checks: Record<string, unknown>;
    ready: boolean;
    accepts_writes: boolean;
  };
  expect([ready, accepts_writes]).toEqual([true, true]);
  return checks.upload_wallets;
}

/** Cost in FROST of a typical memory for the localnet's 53 epochs. */
async function priceOfUpload(): Promise<bigint> {
  const tariff = await readWalrusTariff(network.chain, network.info.walrus.systemObjectId);
  const { storage, write } = storageCost(encodedBlobLength(2_000, tariff.nShards), 53, tariff);
  return storage + write;
}

/** Removes all WAL from a wallet except this amount. */
async function keepWal(wallet: TestKey, frost: bigint): Promise<void> {
  const transaction = new Transaction();
  const coins = (await readWalCoins(network.chain, wallet.address)).map(({ objectId }) => objectId);
  const [first, ...rest] = coins.map((objectId) => transaction.object(objectId));
  if (rest.length > 0) transaction.mergeCoins(first!, rest);
  if (frost > 0n) {
    const [kept] = transaction.splitCoins(first!, [frost]);
    transaction.transferObjects([kept!], wallet.address);
  }
  transaction.transferObjects([first!], newTestKey().address);
  await executeTransaction(network.chain, transaction, parsePrivateKey(wallet.privateKey));
}
