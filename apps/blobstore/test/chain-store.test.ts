import { createChainClient } from '@memrelay/chain/chain-client';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { blobBcs } from '@memrelay/chain/walrus-bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import { fetchChainInfo } from '../src/registry/chain/walrus-system.ts';
import { chainWorld } from './chain-world.ts';
import { urlOf } from './main-child.ts';
import { spawnMain } from './main-process.ts';
import { blobIdOf, patient, put, putNew, refusal, startStore, temporaryDirectory } from './running-store.ts';

const { localnet, startOnChain } = await chainWorld();

function client() {
  return createChainClient({ network: 'localnet', baseUrl: localnet.url });
}

test('a store leaves a certified object with its receiver, and its event resolves', async () => {
  const { url } = await startOnChain();
  const recipient = `0x${'5e'.repeat(32)}`;
  const query = `?permanent=true&epochs=4&send_object_to=${recipient}`;
  const { blobObject } = await putNew(url, 'on chain', query);
  const { sui } = client();
  const { object } = await sui.core.getObject({ objectId: blobObject.id, include: { content: true } });
  expect(object.owner).toMatchObject({ AddressOwner: recipient });
  expect(blobBcs.parse(object.content)).toMatchObject({
    certified_epoch: blobObject.certifiedEpoch,
    deletable: false,
    storage: { id: blobObject.storage.id, end_epoch: blobObject.storage.endEpoch },
  });

  const { alreadyCertified } = await put(url, 'on chain', '?permanent=true&epochs=4');
  const { txDigest, eventSeq } = alreadyCertified?.event ?? { txDigest: '', eventSeq: '' };
  const result = await sui.core.getTransaction({ digest: txDigest, include: { events: true } });
  expect(result.Transaction?.events[Number(eventSeq)]?.eventType).toMatch(/::events::BlobCertified$/);
});

test('concurrent stores share transactions', async () => {
  const chain = await localnet.chainOptions();
  const { url } = await startOnChain({ chain });
  await putNew(url, 'warm');
  const bodies = Array.from({ length: 24 }, (_, index) => `blob ${index}`);
  const created = await Promise.all(bodies.map((body) => putNew(url, body)));
  expect(new Set(created.map(({ blobObject }) => blobObject.id)).size).toBe(24);
  for (const [index, { blobObject }] of created.entries()) {
    expect(await (await fetch(`${url}/v1/blobs/${blobObject.blobId}`)).text()).toBe(bodies[index]);
  }
  const sender = parsePrivateKey(chain.walletKey).toSuiAddress();
  const { transactions } = await client().sui.core.listTransactions({ filter: { sender }, limit: 50 });
  expect(transactions.length).toBeLessThan(24);
});

test('a blob deleted by its owner is missing', async () => {
  const owner = await localnet.fundedKey();
  const { url } = await startOnChain();
  const { blobObject } = await putNew(url, 'forget me', `?send_object_to=${owner.toSuiAddress()}`);
  expect((await fetch(`${url}/v1/blobs/${blobObject.blobId}`)).status).toBe(200);
  const { walrus } = await fetchChainInfo(localnet.url);
  const transaction = new Transaction();
  const storage = transaction.moveCall({
    target: `${walrus.packageId}::system::delete_blob`,
    arguments: [transaction.object(walrus.systemObjectId), transaction.object(blobObject.id)],
  });
  transaction.transferObjects([storage], owner.toSuiAddress());
  await client().sui.core.signAndExecuteTransaction({ transaction, signer: owner });
  await expect
    .poll(async () => (await fetch(`${url}/v1/blobs/${blobObject.blobId}`)).status, patient)
    .toBe(404);
});

test("a blob expires with the chain's epochs, and stores continue across an epoch change", async () => {
  const { url } = await startOnChain();
  const blobId = await blobIdOf(url, 'short');
  const stores = Array.from({ length: 10 }, (_, index) => putNew(url, `turn ${index}`, '?epochs=3'));
  await localnet.advanceEpoch(1);
  for (const { blobObject } of await Promise.all(stores)) {
    expect((await fetch(`${url}/v1/blobs/${blobObject.blobId}`)).status).toBe(200);
  }
  await expect.poll(async () => (await fetch(`${url}/v1/blobs/${blobId}`)).status, patient).toBe(404);
});

test('while the chain is unreachable, serves live blobs and reports none as missing', async () => {
  const { url } = await startOnChain();
  const blobId = await blobIdOf(url, 'read me');
  localnet.pause();
  try {
    const [live, unknown, store] = await Promise.all([
      fetch(`${url}/v1/blobs/${blobId}`),
      fetch(`${url}/v1/blobs/${'A'.repeat(43)}`),
      fetch(`${url}/v1/blobs`, { method: 'PUT', body: 'not now' }),
    ]);
    expect(await live.text()).toBe('read me');
    expect(await refusal(unknown)).toEqual({ status: 503, reason: 'BLOB_UNAVAILABLE' });
    expect(await refusal(store)).toEqual({ status: 503, reason: 'REGISTRY_UNAVAILABLE' });
  } finally {
    localnet.resume();
  }
  expect((await fetch(`${url}/v1/blobs/${'A'.repeat(43)}`)).status).toBe(404);
  await putNew(url, 'now');
});

test('the error for an account without coins does not mention the account', async () => {
  const walletKey = new Ed25519Keypair().getSecretKey();
  const { url } = await startStore({ chain: { ...(await localnet.chainOptions()), walletKey } });
  const response = await fetch(`${url}/v1/blobs`, { method: 'PUT', body: 'x' });
  const text = await response.text();
  expect(response.status).toBe(500);
  expect(text).toContain('INTERNAL_ERROR');
  expect(text).not.toMatch(/0x|SUI|WAL/);
});

test("a directory belongs to its chain, and the shards are the chain's", async () => {
  const dataDir = await temporaryDirectory();
  const chain = await localnet.chainOptions();
  await (await startStore({ dataDir, chain })).close();
  await expect(startStore({ dataDir })).rejects.toThrow(/BLOBSTORE_CHAIN_URL/);
  await expect(startStore({ chain, nShards: 10 })).rejects.toThrow(/the chain has 31 shards/);
  await startStore({ dataDir, chain });
});

test('the process uses the configured chain', async () => {
  const { url: chainUrl, nodeKeyFile, walletKey } = await localnet.chainOptions();
  const main = spawnMain(['--port', '0'], {
    BLOBSTORE_DATA_DIR: await temporaryDirectory(),
    BLOBSTORE_CHAIN_URL: chainUrl,
    BLOBSTORE_NODE_KEY_FILE: nodeKeyFile,
    BLOBSTORE_WALLET_KEY: walletKey,
  });
  const url = await urlOf(main);
  const { blobObject } = await putNew(url, 'from a process');
  const { object } = await client().sui.core.getObject({ objectId: blobObject.id });
  expect(object.type).toMatch(/::blob::Blob$/);
});

test('names the settings that do not match the chain', async () => {
  const chain = await localnet.chainOptions();
  const keyFile = `${await temporaryDirectory()}/missing`;
  await expect(startStore({ chain: { ...chain, url: 'http://127.0.0.1:1' } })).rejects.toThrow(
    /BLOBSTORE_CHAIN_URL/,
  );
  await expect(startStore({ chain: { ...chain, walletKey: 'suiprivkey1secret' } })).rejects.toThrow(
    /^BLOBSTORE_WALLET_KEY(?!.*secret)/,
  );
  await expect(startStore({ chain: { ...chain, nodeKeyFile: keyFile } })).rejects.toThrow(
    /BLOBSTORE_NODE_KEY_FILE/,
  );
});
