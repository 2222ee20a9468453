import { randomBytes } from 'node:crypto';
import { BlobNotCertifiedError, WalrusFile } from '@mysten/walrus';
import { expect, test } from 'vitest';
import { chainWorld } from './chain-world.ts';
import { blobIdOf } from './running-store.ts';
import { nodesClient, walrusClient } from './walrus-client.ts';

const { localnet, owner: signer, startOnChain } = await chainWorld();

/** A store on the localnet, and the unmodified client, which finds the storage nodes through the chain. */
async function start() {
  const store = await startOnChain();
  const { walrus } = await nodesClient(localnet.url);
  return { store, walrus };
}

test.each([
  { size: 1, deletable: true },
  { size: 1, deletable: false },
  { size: 462, deletable: true },
  { size: 463, deletable: false },
  { size: 5000, deletable: true },
  { size: 5_000_000, deletable: false },
])(
  'the client writes and reads a blob of $size bytes without a relay (deletable: $deletable)',
  async (one) => {
    const { store, walrus } = await start();
    const bytes = new Uint8Array(randomBytes(one.size));
    const { blobId, blobObject } = await walrus.writeBlob({
      blob: bytes,
      deletable: one.deletable,
      epochs: 2,
      signer,
    });
    expect(blobObject.certified_epoch).toBe(1);
    expect(Buffer.from(await walrus.readBlob({ blobId })).equals(bytes)).toBe(true);
    const answer = await fetch(`${store.url}/v1/blobs/${blobId}`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    const blob = await walrus.getBlob({ blobId });
    expect(await blob.exists()).toBe(true);
    expect(await blob.storedUntil()).toBe(one.deletable ? null : 3);
    expect(Buffer.from(await blob.asFile().bytes()).equals(bytes)).toBe(true);
  },
);

test('the client reads what the publisher and the upload relay stored', async () => {
  const { store, walrus } = await start();
  const published = randomBytes(3000);
  const blobId = await blobIdOf(store.url, published);
  expect(Buffer.from(await walrus.readBlob({ blobId })).equals(published)).toBe(true);

  const relayed = randomBytes(700);
  const relay = await walrusClient(localnet.url, store.url);
  const written = await relay.walrus.writeBlob({ blob: relayed, deletable: true, epochs: 1, signer });
  expect(Buffer.from(await walrus.readBlob({ blobId: written.blobId })).equals(relayed)).toBe(true);
});

test('quilts and files are written and read without a relay', async () => {
  const { walrus } = await start();
  const common = { deletable: true, epochs: 2, signer };
  const large = randomBytes(20_000);
  const quilt = await walrus.writeQuilt({
    ...common,
    blobs: [
      { identifier: 'a', contents: Buffer.from('first'), tags: { kind: 'text' } },
      { identifier: 'b', contents: large, tags: {} },
    ],
  });
  const ids = quilt.index.patches.map(({ patchId }) => patchId);
  const [first, second] = await walrus.getFiles({ ids });
  expect(await first!.text()).toBe('first');
  expect(await first!.getIdentifier()).toBe('a');
  expect(await first!.getTags()).toEqual({ kind: 'text' });
  expect(Buffer.from(await second!.bytes()).equals(large)).toBe(true);

  const files = [WalrusFile.from({ contents: Buffer.from('in a file'), identifier: 'c.txt' })];
  const [listed] = await walrus.writeFiles({ ...common, files });
  const [file] = await walrus.getFiles({ ids: [listed!.id] });
  expect(await file!.text()).toBe('in a file');
  const [found] = await (await walrus.getBlob({ blobId: listed!.blobId })).files({ identifiers: ['c.txt'] });
  expect(await found!.text()).toBe('in a file');
});

test('an unknown blob is reported as the client expects', async () => {
  const { walrus } = await start();
  const blobId = 'A'.repeat(43);
  await expect(walrus.readBlob({ blobId })).rejects.toBeInstanceOf(BlobNotCertifiedError);
  expect(await walrus.getVerifiedBlobStatus({ blobId })).toEqual({ type: 'nonexistent' });
  expect(await (await walrus.getBlob({ blobId })).exists()).toBe(false);
});

test('the status counts all objects of a blob, and a blob is missing after its last one', async () => {
  const { walrus } = await start();
  const blob = randomBytes(100);
  const one = await walrus.writeBlob({ blob, deletable: true, epochs: 2, signer });
  const two = await walrus.writeBlob({ blob, deletable: true, epochs: 3, signer });
  const { blobId } = one;
  const counts = (count: number) => ({ count_deletable_total: count, count_deletable_certified: count });
  expect(await walrus.getVerifiedBlobStatus({ blobId })).toEqual({
    type: 'deletable',
    initialCertifiedEpoch: 1,
    deletableCounts: counts(2),
  });
  const three = await walrus.writeBlob({ blob, deletable: false, epochs: 5, signer });
  expect(await walrus.getVerifiedBlobStatus({ blobId })).toMatchObject({
    type: 'permanent',
    endEpoch: 6,
    isCertified: true,
    initialCertifiedEpoch: 1,
    deletableCounts: counts(2),
    statusEvent: { txDigest: expect.any(String), eventSeq: expect.any(String) },
  });
  for (const { blobObject } of [one, two]) {
    await walrus.executeDeleteBlobTransaction({ signer, blobObjectId: blobObject.id });
  }
  expect(Buffer.from(await walrus.readBlob({ blobId })).equals(blob)).toBe(true);
  expect(three.blobObject.deletable).toBe(false);

  const last = await walrus.writeBlob({ blob: randomBytes(99), deletable: true, epochs: 2, signer });
  await walrus.executeDeleteBlobTransaction({ signer, blobObjectId: last.blobObject.id });
  await expect(walrus.readBlob({ blobId: last.blobId })).rejects.toBeInstanceOf(BlobNotCertifiedError);
});

test('a blob that only a quorum of nodes accepted is decoded and readable', async () => {
  const { store } = await start();
  const blob = randomBytes(4000);
  const lost = new Set([0, 1, 2]);
  const fetchOthers: typeof fetch = (input, init) => {
    const [, node] = /\/nodes\/(\d+)\//.exec(String(input)) ?? [];
    return lost.has(Number(node)) ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init);
  };
  const { walrus } = await nodesClient(localnet.url, { fetch: fetchOthers });
  const { blobId } = await walrus.writeBlob({ blob, deletable: true, epochs: 1, signer });
  const answer = await fetch(`${store.url}/v1/blobs/${blobId}`);
  expect(Buffer.from(await answer.arrayBuffer()).equals(blob)).toBe(true);
  expect(Buffer.from(await walrus.readBlob({ blobId })).equals(blob)).toBe(true);
});

test('nodes can be written to one after another', async () => {
  const { store, walrus } = await start();
  const blob = randomBytes(1000);
  const { blobId, metadata, rootHash, sliversByNode } = await walrus.encodeBlob(blob);
  const { blob: registered } = await walrus.executeRegisterBlobTransaction({
    signer,
    blobId,
    rootHash,
    size: blob.length,
    epochs: 1,
    deletable: true,
    owner: signer.toSuiAddress(),
  });
  const confirmations = [];
  for (const [nodeIndex, slivers] of sliversByNode.entries()) {
    confirmations.push(
      await walrus.writeEncodedBlobToNode({
        nodeIndex,
        blobId,
        metadata,
        slivers,
        deletable: true,
        objectId: registered.id,
      }),
    );
  }
  await walrus.executeCertifyBlobTransaction({
    signer,
    blobId,
    blobObjectId: registered.id,
    deletable: true,
    confirmations,
  });
  const answer = await fetch(`${store.url}/v1/blobs/${blobId}`);
  expect(Buffer.from(await answer.arrayBuffer()).equals(blob)).toBe(true);
});
