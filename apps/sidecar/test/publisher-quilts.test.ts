import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { computeBlobId } from '@memrelay/blob-id/blob-id';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { afterEach, expect, test } from 'vitest';
import { createPublisher } from '../src/store/publisher.ts';
import type { StoreClaims } from '../src/store/publisher-token.ts';
import { encodeFiles, patchId } from '../src/store/quilt-encoding.ts';

const nShards = 31;
const files = [
  { identifier: 'bb.02', contents: Buffer.from('the second') },
  { identifier: 'aa.01', contents: Buffer.alloc(3_000, 'first\r\n--') },
];
const { bytes, ranges } = encodeFiles({ files, nShards });
const { blobId } = computeBlobId(bytes, { nShards });
const patchIds = (quiltId: string) => ranges.map((range) => patchId(quiltId, range));
const content = { bytes, quilt: { files, patchIds } };
const owner = `0x${'1'.repeat(64)}`;

const patches = files.map(({ identifier }, i) => ({ identifier, quiltPatchId: patchIds(blobId)[i]! }));
const created = {
  blobStoreResult: {
    newlyCreated: { blobObject: { id: '0x1', blobId, storage: { endEpoch: 9 } } },
  },
  storedQuiltBlobs: patches,
};

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function store(answer: object, options: { resume?: boolean; minEndEpoch?: number } = {}) {
  const seen: { request?: IncomingMessage; body?: Buffer } = {};
  const claims: StoreClaims[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    Object.assign(seen, { request, body: Buffer.concat(parts) });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const publisher = createPublisher(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    { ofBytes: async (data) => computeBlobId(data, { nShards }) },
    async () => ({ objectId: '0x9', endEpoch: 12 }),
    async (claim) => {
      claims.push(claim);
      return 'token';
    },
  );
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await publisher.close();
  });
  const checkpoints: UploadCheckpoint[] = [];
  for await (const checkpoint of publisher.store(content, { owner, epochs: 3, resume: false, ...options }))
    checkpoints.push(checkpoint);
  const result = checkpoints.at(-1);
  return { result, seen, claims };
}

test('sends a quilt as a form of its files, with a token that covers the form and the packed size', async () => {
  const { result, seen, claims } = await store(created);
  expect(seen.request!.url).toBe(`/v1/quilts?epochs=3&send_object_to=${owner}`);
  const headers = { 'content-type': seen.request!.headers['content-type']! };
  const form = await new Response(new Uint8Array(seen.body!), { headers }).formData();
  expect([...form.keys()]).toEqual(['bb.02', 'aa.01']);
  expect(await new Response(form.get('aa.01')).text()).toBe(files[1]!.contents.toString());
  expect(claims).toEqual([
    { bytes: { max_size: Math.max(seen.body!.length, bytes.length) }, epochs: 3, owner },
  ]);
  expect(result).toEqual({
    stage: 'done',
    blob_id: blobId,
    object_id: '0x1',
    end_epoch: 9,
    patch_ids: patchIds(blobId),
  });
});

test('reuses the object of an earlier attempt without sending anything', async () => {
  const { result, seen } = await store(created, { resume: true });
  expect(result).toMatchObject({ stage: 'done', object_id: '0x9', patch_ids: patchIds(blobId) });
  expect(seen).toEqual({});
});

test('accepts an existing quilt unless it expires too early', async () => {
  const old = {
    ...created,
    blobStoreResult: { alreadyCertified: { blobId, object: '0x2', endEpoch: 7 } },
  };
  expect((await store(old)).result).toMatchObject({ stage: 'done', object_id: '0x2', end_epoch: 7 });
  expect((await store(old, { minEndEpoch: 8 })).result).toMatchObject({ stage: 'failed', kind: 'transient' });
});

test.each([
  ['a different quilt', { ...created, blobStoreResult: alsoStored('A'.repeat(43)) }],
  ['patches at other positions', { ...created, storedQuiltBlobs: swapped() }],
  ['fewer patches', { ...created, storedQuiltBlobs: patches.slice(1) }],
  ['a blob without patches', created.blobStoreResult],
])('does not trust a publisher that reports %s', async (_what, answer) => {
  expect((await store(answer)).result).toMatchObject({ stage: 'failed', kind: 'transient' });
});

function alsoStored(otherId: string): object {
  return { newlyCreated: { blobObject: { id: '0x1', blobId: otherId, storage: { endEpoch: 9 } } } };
}

function swapped(): object[] {
  return patches.map(({ identifier }, i) => ({
    identifier,
    quiltPatchId: patches[1 - i]!.quiltPatchId,
  }));
}
