import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { blockBytes, createBlockHasher } from '../src/storage/block-digests.ts';
import type { S3Options } from '../src/storage/s3/s3-options.ts';
import { openS3Storage } from '../src/storage/s3/s3-storage.ts';
import {
  BlobDamagedError,
  type Removable,
  type Storage,
  StorageUnavailableError,
  type StoredBlob,
} from '../src/storage/storage.ts';
import { temporaryDirectory } from './running-store.ts';
import { startProxy } from './s3-proxy.ts';
import { bucketAt, keysOf, sharedS3 } from './s3-server.ts';

const s3 = sharedS3();
const silent = pino({ level: 'silent' });
const hour = 3_600_000;
const mebibyte = 1024 * 1024;

async function open(place: S3Options, graceMs = 2 * hour, directory?: string): Promise<Storage> {
  const incoming = directory ?? (await temporaryDirectory());
  const storage = await openS3Storage({
    bucket: bucketAt(place),
    directory: incoming,
    logger: silent,
    graceMs,
  });
  onTestFinished(() => storage.close());
  return storage;
}

function hashOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url');
}

/** Stores content under a made-up identity. */
async function keep(storage: Storage, content: Uint8Array): Promise<StoredBlob> {
  const staged = await storage.stage(chunks(content), content.byteLength);
  const identity = { blobId: hashOf('id', content), rootHash: hashOf('root', content) };
  try {
    return await storage.commit(staged, identity);
  } finally {
    await storage.discard(staged);
  }
}

async function* chunks(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

async function contentOf(storage: Storage, blob: StoredBlob): Promise<Buffer> {
  return buffer(await storage.read(blob));
}

async function removableOf(storage: Storage, blobId?: string): Promise<Removable[]> {
  const found: Removable[] = [];
  for await (const removable of storage.removable({ ...(blobId && { blobId }), mayRemove: true }))
    found.push(removable);
  return found;
}

test.each([0, 1, 1000, mebibyte, 20 * mebibyte])(
  'stores and reads %i bytes, whole and in parts',
  async (size) => {
    const place = s3().place();
    const directory = await temporaryDirectory();
    const storage = await open(place, hour, directory);
    const content = randomBytes(size);
    const blob = await keep(storage, content);
    expect(blob).toMatchObject({ size, digest: hashOf(content) });
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);

    const other = await open(place);
    const found = (await other.find(blob.blobId))!;
    expect(found).toEqual(blob);
    expect(content.equals(await contentOf(other, found))).toBe(true);
    if (size > 2) {
      const part = await buffer(await other.read(found, { start: 1, end: size - 2 }));
      expect(content.subarray(1, -1).equals(part)).toBe(true);
    }
    await other.withFile(found, async (path) => expect(path).toContain('incoming'));
  },
);

test('keeps block digests with the blob and deletes them with it', async () => {
  const storage = await open(s3().place(), 0);
  const content = randomBytes(blockBytes + 1);
  const hasher = createBlockHasher();
  hasher.update(content);
  const blob = await keep(storage, content);
  expect(await storage.blockDigests(blob)).toEqual(hasher.end());
  for (const { remove } of await removableOf(storage)) await remove();
  expect(await storage.blockDigests(blob)).toBeUndefined();
  expect(await storage.find(blob.blobId)).toBeUndefined();
});

test('does not find content that was never stored', async () => {
  const storage = await open(s3().place());
  expect(await storage.find(hashOf('nothing'))).toBeUndefined();
  expect(await storage.findByDigest(hashOf('nothing'))).toBeUndefined();
});

test('does not upload content stored a moment ago again, but replaces an old copy', async () => {
  const place = s3().place();
  const content = randomBytes(100);
  const young = await open(place);
  await keep(young, content);
  await keep(await open(place), content);
  expect(await keysOf(bucketAt(place), 'content/')).toHaveLength(1);
  // Without a grace period every copy is old immediately.
  const strict = await open(place, 0);
  await keep(strict, content);
  expect(await keysOf(bucketAt(place), 'content/')).toHaveLength(2);
});

test('removes surplus copies in a sweep, and reports only old blobs', async () => {
  const place = s3().place();
  const content = randomBytes(100);
  const strict = await open(place, 0);
  await keep(strict, content);
  await keep(strict, content);
  const bucket = bucketAt(place);
  expect(await removableOf(await open(place))).toEqual([]);
  expect(await keysOf(bucket, 'content/')).toHaveLength(2);
  const [only, ...rest] = await removableOf(strict);
  expect(only?.blobId).toBe(hashOf('id', content));
  expect(rest).toEqual([]);
  expect(await keysOf(bucket, 'content/')).toHaveLength(1);
});

test('keeps content that another instance stores after a sweep has listed', async () => {
  const place = s3().place();
  const content = randomBytes(100);
  const sweeping = await open(place, 0);
  const blob = await keep(sweeping, content);
  const [judged] = await removableOf(sweeping);
  // The other instance finds the old copy but does not rely on it.
  await keep(await open(place, 0), content);
  await judged!.remove();
  expect(await contentOf(await open(place), blob)).toEqual(content);
  // The instance that has cached the removed copy finds the new one.
  expect(await contentOf(sweeping, blob)).toEqual(content);
});

test('looks for a removed copy again, and then reports an error', async () => {
  const place = s3().place();
  const reader = await open(place);
  const blob = await keep(reader, randomBytes(10));
  const bucket = bucketAt(place);
  await bucket.remove(await keysOf(bucket, 'content/'));
  await expect(reader.read(blob)).rejects.toThrow(StorageUnavailableError);
});

test('pages through listings', async () => {
  const place = { ...s3().place(), pageSize: 3 };
  const storage = await open(place, 0);
  const blobs = await Promise.all(Array.from({ length: 10 }, () => keep(storage, randomBytes(50))));
  const found = await removableOf(storage);
  expect(found.map(({ blobId }) => blobId).sort()).toEqual(blobs.map(({ blobId }) => blobId).sort());
  expect(await removableOf(storage, blobs[4]!.blobId)).toHaveLength(1);
});

test('treats an object whose length differs from its key as damaged', async () => {
  const place = s3().place();
  const blob = await keep(await open(place), randomBytes(10));
  const bucket = bucketAt(place);
  const [key] = await keysOf(bucket, 'content/');
  await bucket.put(key!, 'short');
  await expect((await open(place)).read(blob)).rejects.toThrow(BlobDamagedError);
});

test('ignores foreign keys among the content', async () => {
  const place = s3().place();
  const bucket = bucketAt(place);
  await bucket.put('content/notes.txt', 'an operator wrote this');
  await bucket.put(`content/${hashOf('x')}/what-is-this`, 'and this');
  const storage = await open(place, 0);
  expect(await storage.find(hashOf('x'))).toBeUndefined();
  expect(await removableOf(storage)).toEqual([]);
});

test('aborts an upload that fails in the middle, and leaves no copy', async () => {
  const { endpoint, place } = s3();
  const aborted: string[] = [];
  const proxy = await startProxy(endpoint, ({ method, path }) => {
    // s3rver does not support the request, so only the request itself can be checked.
    if (method === 'DELETE' && path.includes('uploadId=')) aborted.push(path);
    return path.includes('partNumber=3') ? 500 : 'pass';
  });
  const failing = place(proxy);
  const storage = await open(failing);
  await expect(keep(storage, randomBytes(20 * mebibyte))).rejects.toThrow(StorageUnavailableError);
  expect(aborted).toHaveLength(1);
  expect(await keysOf(bucketAt({ ...failing, endpoint }))).toEqual([]);
});

test('aborts uploads left by a crash in a sweep, but not current ones', async () => {
  const upload = (id: string, began: Date) =>
    `<Upload><Key>test/content/x</Key><UploadId>${id}</UploadId><Initiated>${began.toISOString()}</Initiated></Upload>`;
  const uploads = upload('old', new Date(Date.now() - 2 * hour)) + upload('young', new Date());
  const aborted: string[] = [];
  const proxy = await startProxy(s3().endpoint, ({ method, path }) => {
    const { searchParams } = new URL(path, 'http://s3');
    if (method === 'GET' && searchParams.has('uploads'))
      return { xml: `<ListMultipartUploadsResult>${uploads}</ListMultipartUploadsResult>` };
    if (method === 'DELETE') aborted.push(searchParams.get('uploadId') ?? path);
    return 'pass';
  });
  await removableOf(await open(s3().place(proxy), hour));
  expect(aborted).toEqual(['old']);
});

test.each([
  ['refuses', 403],
  ['fails', 500],
  ['is overloaded', 503],
  ['does not respond', 'silence'],
] as const)('reports unavailable instead of missing with a server that %s', async (_name, verdict) => {
  let answer: 'pass' | typeof verdict = 'pass';
  const proxy = await startProxy(s3().endpoint, () => answer);
  const storage = await open({ ...s3().place(proxy), timeoutMs: 1500 });
  const blob = await keep(storage, randomBytes(10));
  const other = hashOf('another');
  answer = verdict;
  await expect(storage.find(other)).rejects.toThrow(StorageUnavailableError);
  await expect(storage.read(blob)).rejects.toThrow(StorageUnavailableError);
  await expect(removableOf(storage)).rejects.toThrow(StorageUnavailableError);
  answer = 'pass';
  expect(await contentOf(storage, blob)).toHaveLength(10);
});

test('allows a reader to take longer than a request', async () => {
  const storage = await open({ ...s3().place(), timeoutMs: 1000 });
  const content = randomBytes(8 * mebibyte);
  const blob = await keep(storage, content);
  const startedAtMs = performance.now();
  const chunks: Buffer[] = [];
  for await (const chunk of (await storage.read(blob)) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    while (performance.now() - startedAtMs < 1200 && chunks.length > 2) await pause(20);
  }
  expect(content.equals(Buffer.concat(chunks))).toBe(true);
});

test('hides a temporary failure', async () => {
  let failures = 0;
  const proxy = await startProxy(s3().endpoint, () => {
    failures += 1;
    return failures % 2 === 1 ? 503 : 'pass';
  });
  const storage = await open(s3().place(proxy));
  const content = randomBytes(1000);
  expect(await contentOf(storage, await keep(storage, content))).toEqual(content);
});
