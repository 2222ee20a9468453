import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Transaction } from '@mysten/sui/transactions';
import { WalrusFile } from '@mysten/walrus';
import { expect, test } from 'vitest';
import type { BlobStore } from '../src/blob-store.ts';
import type { BlobStoreOptions } from '../src/config/blob-store-options.ts';
import { chainWorld } from './chain-world.ts';
import { urlOf } from './main-child.ts';
import { spawnMain } from './main-process.ts';
import { patient, refusal, startStore, temporaryDirectory } from './running-store.ts';
import { type ChainWalrus, walrusClient } from './walrus-client.ts';

const { localnet, owner: signer, startOnChain } = await chainWorld();

interface Relay extends ChainWalrus {
  store: BlobStore;
  dataDir: string;
}

async function startRelay(options: Partial<BlobStoreOptions> = {}): Promise<Relay> {
  const dataDir = await temporaryDirectory();
  const store = await startOnChain({ dataDir, ...options });
  return { store, dataDir, ...(await walrusClient(localnet.url, store.url)) };
}

/** A blob that its owner has registered, and the query of its upload. */
async function registered({ walrus }: ChainWalrus, { deletable = true, epochs = 3 } = {}) {
  const bytes = randomBytes(500);
  const { blobId, rootHash } = await walrus.computeBlobMetadata({ bytes });
  const owner = signer.toSuiAddress();
  const { blob } = await walrus.executeRegisterBlobTransaction({
    signer,
    blobId,
    rootHash,
    size: bytes.length,
    epochs,
    deletable,
    owner,
  });
  const query = `blob_id=${blobId}${deletable ? `&deletable_blob_object=${blob.id}` : ''}`;
  return { bytes, blobId, blobObjectId: blob.id, deletable, query };
}

function upload(url: string, query: string, body: Uint8Array): Promise<Response> {
  return fetch(`${url}/v1/blob-upload-relay?${query}`, { method: 'POST', body: Buffer.from(body) });
}

async function storedFiles(dataDir: string): Promise<string[]> {
  const files = await readdir(join(dataDir, 'objects'), { recursive: true, withFileTypes: true });
  return files.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test.each([true, false])(
  'the Walrus client writes a blob through the relay (deletable: %s)',
  async (deletable) => {
    const { walrus, store } = await startRelay();
    const blob = randomBytes(5000);
    const steps: string[] = [];
    const { blobId, blobObject } = await walrus.writeBlob({
      blob,
      deletable,
      epochs: 3,
      signer,
      attributes: { 'content-type': 'text/x-written' },
      onStep: ({ step }) => void steps.push(step),
    });
    expect(steps).toEqual(['encoded', 'registered', 'uploaded', 'certified']);
    expect(blobObject).toMatchObject({ certified_epoch: expect.any(Number), deletable });
    const byId = await fetch(`${store.url}/v1/blobs/${blobId}`);
    expect(Buffer.from(await byId.arrayBuffer()).equals(blob)).toBe(true);
    const byObject = await fetch(`${store.url}/v1/blobs/by-object-id/${blobObject.id}`);
    expect(byObject.headers.get('content-type')).toBe('text/x-written');
  },
);

test('the flow of the client encodes, registers, uploads and certifies in transactions of the caller', async () => {
  const { walrus, sui, store } = await startRelay();
  const blob = randomBytes(2000);
  const flow = walrus.writeBlobFlow({ blob });
  const { blobId } = await flow.encode();
  const owner = signer.toSuiAddress();
  const register = flow.register({ epochs: 2, deletable: true, owner });
  const { Transaction: done } = await sui.core.signAndExecuteTransaction({ transaction: register, signer });
  await flow.upload({ digest: done!.digest });
  const unavailable = { status: 503, reason: 'BLOB_UNAVAILABLE' };
  expect(await refusal(await fetch(`${store.url}/v1/blobs/${blobId}`))).toEqual(unavailable);
  await sui.core.signAndExecuteTransaction({ transaction: flow.certify(), signer });
  const read = await fetch(`${store.url}/v1/blobs/${blobId}`);
  expect(Buffer.from(await read.arrayBuffer()).equals(blob)).toBe(true);
});

test('many concurrent writers wait for their turn and are all served', async () => {
  const { walrus, store } = await startRelay({ limits: { publisher: { concurrent: 1, buffered: 1 } } });
  const keys = await Promise.all(Array.from({ length: 6 }, () => localnet.fundedKey()));
  const written = await Promise.all(
    keys.map((key) => walrus.writeBlob({ blob: randomBytes(3000), deletable: true, epochs: 1, signer: key })),
  );
  for (const { blobId } of written) expect((await fetch(`${store.url}/v1/blobs/${blobId}`)).status).toBe(200);
});

test('quilts and files work the same way', async () => {
  const { walrus, store } = await startRelay();
  const common = { deletable: true, epochs: 2, signer };
  const { blobId, index } = await walrus.writeQuilt({
    ...common,
    blobs: [
      { identifier: 'a', contents: Buffer.from('first'), tags: {} },
      { identifier: 'b', contents: Buffer.from('second'), tags: {} },
    ],
  });
  expect(index.patches.map(({ identifier }) => identifier)).toEqual(['a', 'b']);
  const patch = await fetch(`${store.url}/v1/blobs/by-quilt-id/${blobId}/b`);
  expect(await patch.text()).toBe('second');

  const files = [WalrusFile.from({ contents: Buffer.from('in a file'), identifier: 'c.txt' })];
  const flow = walrus.writeFilesFlow({ files });
  for await (const _step of flow.run(common));
  const [listed] = await flow.listFiles();
  const file = await fetch(`${store.url}/v1/blobs/by-quilt-patch-id/${listed!.id}`);
  expect(await file.text()).toBe('in a file');
});

test('returns the same certificate for a repeated upload, even after the blob is certified', async () => {
  const relay = await startRelay();
  const { bytes, blobId, blobObjectId, deletable, query } = await registered(relay);
  const uploads = await Promise.all([1, 2, 3].map(() => upload(relay.store.url, query, bytes)));
  const [first, ...others] = await Promise.all(uploads.map((response) => response.text()));
  expect(others).toEqual([first, first]);
  const answer = JSON.parse(first!);
  expect(answer).toEqual({
    blob_id: [...Buffer.from(blobId, 'base64url')],
    confirmation_certificate: {
      signers: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      serialized_message: expect.any(Array),
      signature: expect.stringMatching(/^[A-Za-z0-9+/]{128}$/),
    },
  });
  const { serialized_message, signature } = answer.confirmation_certificate;
  const certificate = {
    signers: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    serializedMessage: Uint8Array.from(serialized_message),
    signature: Buffer.from(signature, 'base64'),
  };
  await relay.walrus.executeCertifyBlobTransaction({ signer, blobId, blobObjectId, deletable, certificate });
  expect(await (await upload(relay.store.url, query, bytes)).text()).toBe(first);
  expect(await storedFiles(relay.dataDir)).toHaveLength(1);
});

test('confirms and keeps nothing for an upload without a matching registration', async () => {
  const relay = await startRelay();
  const { url } = relay.store;
  const deletable = await registered(relay);
  const permanent = await registered(relay, { deletable: false });
  const other = await registered(relay);
  const ask = async (query: string, body: Uint8Array) => refusal(await upload(url, query, body));
  const unregistered = { status: 400, reason: 'NOT_REGISTERED' };
  const mismatch = { status: 400, reason: 'BLOB_ID_MISMATCH' };

  expect(await ask(`blob_id=${'A'.repeat(43)}`, deletable.bytes)).toEqual(unregistered);
  expect(await ask(`blob_id=${deletable.blobId}`, deletable.bytes)).toEqual(unregistered);
  const asDeletable = `${permanent.query}&deletable_blob_object=${permanent.blobObjectId}`;
  expect(await ask(asDeletable, permanent.bytes)).toEqual(unregistered);
  const foreign = `blob_id=${deletable.blobId}&deletable_blob_object=${other.blobObjectId}`;
  expect(await ask(foreign, deletable.bytes)).toEqual(unregistered);

  expect(await ask(deletable.query, other.bytes)).toEqual(mismatch);
  expect(await ask(deletable.query, deletable.bytes.subarray(1))).toEqual(mismatch);
  expect(await ask(deletable.query, Buffer.concat([deletable.bytes, other.bytes]))).toEqual(mismatch);

  const { walrus } = relay;
  await walrus.executeDeleteBlobTransaction({ signer, blobObjectId: deletable.blobObjectId });
  expect(await ask(deletable.query, deletable.bytes)).toEqual(unregistered);
  expect(await storedFiles(relay.dataDir)).toEqual([]);
});

test('a query that breaks a rule is rejected', async () => {
  const { store } = await startRelay();
  const good = `blob_id=${'A'.repeat(43)}`;
  const queries: [query: string, reason: string][] = [
    ['', 'MALFORMED_REQUEST'],
    ['blob_id=short', 'INVALID_ID_FORMAT'],
    [`${good}&epochs=1`, 'MALFORMED_REQUEST'],
    [`${good}&${good}`, 'MALFORMED_REQUEST'],
    [`${good}&deletable_blob_object=0x1z`, 'MALFORMED_REQUEST'],
    [`${good}&encoding_type=RedStuff`, 'MALFORMED_REQUEST'],
    [`${good}&tx_id=0OIl`, 'MALFORMED_REQUEST'],
    [`${good}&nonce=AAAA`, 'MALFORMED_REQUEST'],
  ];
  for (const [query, reason] of queries) {
    const refused = await refusal(await upload(store.url, query, Buffer.of(1)));
    expect(refused, query).toEqual({ status: 400, reason });
  }
});

test('keeps content for as long as its registration, then sweeps it', async () => {
  const relay = await startRelay();
  const { bytes, blobId, query } = await registered(relay, { epochs: 1 });
  await upload(relay.store.url, query, bytes);
  expect(await relay.store.admin.sweep()).toBe(0);
  expect(await storedFiles(relay.dataDir)).toHaveLength(1);
  expect((await fetch(`${relay.store.url}/v1/blobs/${blobId}`)).status).not.toBe(200);
  await localnet.advanceEpoch(1);
  await expect.poll(() => relay.store.admin.sweep(), patient).toBe(1);
  expect(await storedFiles(relay.dataDir)).toEqual([]);
  expect(await refusal(await upload(relay.store.url, query, bytes))).toMatchObject({
    reason: 'NOT_REGISTERED',
  });
});

test('a certificate of the previous epoch is rejected on chain, and a new upload fixes that', async () => {
  const relay = await startRelay();
  const blob = randomBytes(300);
  const flow = relay.walrus.writeBlobFlow({ blob });
  const { blobId } = await flow.encode();
  const options = { epochs: 3, deletable: true, owner: signer.toSuiAddress() };
  const { txDigest } = await flow.executeRegister({ signer, ...options });
  await flow.upload({ digest: txDigest });
  await localnet.advanceEpoch(1);
  await expect(flow.executeCertify({ signer })).rejects.toThrow();
  await flow.upload({ digest: txDigest });
  await flow.executeCertify({ signer });
  expect((await fetch(`${relay.store.url}/v1/blobs/${blobId}`)).status).toBe(200);
});

test('acknowledged uploads survive a kill', async () => {
  const chain = await localnet.chainOptions();
  const dataDir = await temporaryDirectory();
  const main = spawnMain(['--port', '0'], {
    BLOBSTORE_DATA_DIR: dataDir,
    BLOBSTORE_CHAIN_URL: chain.url,
    BLOBSTORE_NODE_KEY_FILE: chain.nodeKeyFile,
    BLOBSTORE_WALLET_KEY: chain.walletKey,
  });
  const { walrus } = await walrusClient(localnet.url, await urlOf(main));
  const flow = walrus.writeBlobFlow({ blob: Buffer.from('promised') });
  const { blobId } = await flow.encode();
  const options = { epochs: 3, deletable: true, owner: signer.toSuiAddress() };
  const { txDigest } = await flow.executeRegister({ signer, ...options });
  await flow.upload({ digest: txDigest });
  main.child.kill('SIGKILL');
  await main.ended;
  const again = await startStore({ dataDir, chain });
  expect(await again.admin.sweep()).toBe(0);
  await flow.executeCertify({ signer });
  expect(await (await fetch(`${again.url}/v1/blobs/${blobId}`)).text()).toBe('promised');
});

test('certifies nothing while the chain is unreachable', async () => {
  const relay = await startRelay();
  const { bytes, query } = await registered(relay);
  localnet.pause();
  try {
    expect(await refusal(await upload(relay.store.url, query, bytes))).toEqual({
      status: 503,
      reason: 'REGISTRY_UNAVAILABLE',
    });
  } finally {
    localnet.resume();
  }
  expect((await upload(relay.store.url, query, bytes)).status).toBe(200);
});

test('a store without a chain reports that it has no relay', async () => {
  const { url } = await startStore();
  const offered = { status: 501, reason: 'UPLOAD_RELAY_NOT_OFFERED' };
  expect(await refusal(await fetch(`${url}/v1/tip-config`))).toEqual(offered);
  expect(await refusal(await upload(url, `blob_id=${'A'.repeat(43)}`, Buffer.of(1)))).toEqual(offered);
  expect((await fetch(`${url}/v1/blob-upload-relay`)).status).toBe(405);
});

const tipAddress = `0x${'71'.repeat(32)}`;

test.each([
  ['const', { const: 105 }, 105n],
  // 64,480 encoded bytes are 63 started KiB
  ['linear', { linear: { base: 10, perEncodedKib: 2 } }, 136n],
])('a %s tip is announced, sent by the client, and checked', async (_name, kind, expected) => {
  const relay = await startRelay({ tip: { address: tipAddress, kind, freshnessMs: 60_000 } });
  const { url } = relay.store;
  const before = BigInt((await relay.sui.getBalance({ owner: tipAddress })).balance.balance);
  const { walrus } = await walrusClient(localnet.url, url, { max: 1000 });
  const { blobId } = await walrus.writeBlob({ blob: randomBytes(400), deletable: true, epochs: 1, signer });
  expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(200);
  const after = BigInt((await relay.sui.getBalance({ owner: tipAddress })).balance.balance);
  expect(after - before).toBe(expected);
});

test('without a tip its configuration is no_tip, and a tip is optional', async () => {
  const { store } = await startRelay();
  expect(await (await fetch(`${store.url}/v1/tip-config`)).json()).toBe('no_tip');
  const { walrus } = await walrusClient(localnet.url, store.url, { max: 1000 });
  const { blobId } = await walrus.writeBlob({ blob: randomBytes(400), deletable: true, epochs: 1, signer });
  expect((await fetch(`${store.url}/v1/blobs/${blobId}`)).status).toBe(200);
});

test('a missing, too small, too old or misdirected tip is not accepted', async () => {
  let ahead = 0;
  const tip = { address: tipAddress, kind: { const: 100 }, freshnessMs: 60_000 };
  const relay = await startRelay({ tip, now: () => Date.now() + ahead });
  const { url } = relay.store;
  expect(await (await fetch(`${url}/v1/tip-config`)).json()).toEqual({
    send_tip: { address: tipAddress, kind: { const: 100 } },
  });
  const { bytes, query } = await registered(relay);
  const nonce = randomBytes(32);
  const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest();
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  const authPackage = Buffer.concat([sha256(bytes), sha256(nonce), length]);

  async function pay(amount: number, first?: Uint8Array): Promise<string> {
    const transaction = new Transaction();
    if (first !== undefined) transaction.pure(first);
    transaction.transferObjects([transaction.splitCoins(transaction.gas, [amount])], tipAddress);
    const result = await relay.sui.core.signAndExecuteTransaction({ transaction, signer });
    return result.Transaction!.digest;
  }
  async function ask(digest: string, paymentNonce: Uint8Array = nonce, body: Uint8Array = bytes) {
    const payment = `tx_id=${digest}&nonce=${Buffer.from(paymentNonce).toString('base64url')}`;
    return refusal(await upload(url, `${query}&${payment}`, body));
  }

  const paid = await pay(100, authPackage);
  expect(await refusal(await upload(url, query, bytes))).toEqual({
    status: 400,
    reason: 'MISSING_TX_ID_OR_NONCE',
  });
  expect(await ask('1'.repeat(32))).toEqual({ status: 400, reason: 'TRANSACTION_NOT_FOUND' });
  expect(await ask(await pay(99, authPackage))).toEqual({ status: 402, reason: 'INSUFFICIENT_TIP' });
  const elsewhere = new Transaction();
  elsewhere.pure(authPackage);
  elsewhere.transferObjects([elsewhere.splitCoins(elsewhere.gas, [100])], signer.toSuiAddress());
  const sent = await relay.sui.core.signAndExecuteTransaction({ transaction: elsewhere, signer });
  expect(await ask(sent.Transaction!.digest)).toEqual({ status: 402, reason: 'NO_TIP_SENT' });
  expect(await ask(await pay(100, Buffer.from('short')))).toEqual({
    status: 401,
    reason: 'INVALID_AUTH_PACKAGE',
  });
  expect(await ask(paid, randomBytes(32))).toEqual({ status: 401, reason: 'INVALID_NONCE_HASH' });
  const longer = Buffer.from(authPackage);
  longer.writeBigUInt64LE(501n, 64);
  expect(await ask(await pay(100, longer))).toEqual({ status: 401, reason: 'BLOB_LENGTH_MISMATCH' });
  expect(await ask(paid, nonce, randomBytes(bytes.length))).toEqual({
    status: 401,
    reason: 'BLOB_DIGEST_MISMATCH',
  });
  expect(await storedFiles(relay.dataDir)).toEqual([]);
  ahead = 61_000;
  expect(await ask(paid)).toEqual({ status: 400, reason: 'TRANSACTION_TOO_OLD' });
  ahead = -61_000;
  expect(await ask(paid)).toEqual({ status: 400, reason: 'TRANSACTION_IN_FUTURE' });
  ahead = 0;
  const payment = `tx_id=${paid}&nonce=${nonce.toString('base64url')}`;
  expect((await upload(url, `${query}&${payment}`, bytes)).status).toBe(200);
});
