import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { blockBytes, createBlockHasher } from '../src/storage/block-digests.ts';
import { openDiskStorage } from '../src/storage/disk-storage.ts';
import type { StagedBlob, Storage } from '../src/storage/storage.ts';
import { temporaryDirectory } from './running-store.ts';

const silent = pino({ level: 'silent' });
const identity = { blobId: 'B'.repeat(42).concat('A'), rootHash: 'A'.repeat(43) };

async function* chunksOf(content: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < content.length; start += chunkBytes) {
    yield content.subarray(start, start + chunkBytes);
  }
}

function digestsOf(content: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let start = 0; start === 0 || start < content.length; start += blockBytes) {
    blocks.push(
      createHash('sha256')
        .update(content.subarray(start, start + blockBytes))
        .digest(),
    );
  }
  return Buffer.concat(blocks);
}

test.each([0, 1, blockBytes - 1, blockBytes, blockBytes + 1, 3 * blockBytes, 3 * blockBytes + 5])(
  'computes the same digests of %i bytes for any chunk size',
  async (size) => {
    const content = randomBytes(size);
    for (const chunkBytes of [1000, 65_536, blockBytes, blockBytes + 1, 10 * blockBytes]) {
      const hasher = createBlockHasher();
      for await (const chunk of chunksOf(content, chunkBytes)) hasher.update(chunk);
      expect(hasher.end().equals(digestsOf(content))).toBe(true);
    }
  },
);

async function openWithBlob(content: Buffer): Promise<{ directory: string; storage: Storage }> {
  const directory = await temporaryDirectory();
  const storage = await openDiskStorage(directory, silent);
  const staged: StagedBlob = await storage.stage(chunksOf(content, 100_000), content.length);
  await storage.commit(staged, identity);
  return { directory, storage };
}

async function blockFilesOf(directory: string): Promise<string[]> {
  const names = await readdir(join(directory, 'blocks'), { recursive: true });
  return names.filter((name) => name.length > 2).map((name) => join(directory, 'blocks', name));
}

test('keeps digests from the store on, across a restart, and deletes them with the blob', async () => {
  const content = randomBytes(2 * blockBytes + 77);
  const { directory, storage } = await openWithBlob(content);
  const blob = (await storage.find(identity.blobId))!;
  expect(await storage.blockDigests(blob)).toEqual(digestsOf(content));
  const reopened = await openDiskStorage(directory, silent);
  expect(await reopened.blockDigests(blob)).toEqual(digestsOf(content));
  for await (const { remove } of reopened.removable({ mayRemove: true })) await remove();
  expect(await blockFilesOf(directory)).toEqual([]);
});

test('needs no file for a blob of one block, whose digest is in its name', async () => {
  const content = randomBytes(blockBytes);
  const { directory, storage } = await openWithBlob(content);
  expect(await blockFilesOf(directory)).toEqual([]);
  const blob = (await storage.find(identity.blobId))!;
  expect(await storage.blockDigests(blob)).toEqual(digestsOf(content));
});

test('treats damaged, truncated or foreign digests as missing, and replaces them', async () => {
  const content = randomBytes(3 * blockBytes);
  const { directory, storage } = await openWithBlob(content);
  const blob = (await storage.find(identity.blobId))!;
  const [path] = await blockFilesOf(directory);
  const intact = await readFile(path!);
  const flipped = Buffer.from(intact);
  flipped[40]! ^= 1;
  for (const damaged of [flipped, intact.subarray(0, -1), intact.subarray(32), Buffer.alloc(0)]) {
    await writeFile(path!, damaged);
    expect(await storage.blockDigests(blob)).toBeUndefined();
  }
  await writeFile(path!, intact);
  expect(await storage.blockDigests({ ...blob, digest: blob.rootHash })).toBeUndefined();
  await storage.keepBlockDigests(blob, digestsOf(content));
  expect(await storage.blockDigests(blob)).toEqual(digestsOf(content));
});

test('removes digests without a blob at the next start', async () => {
  const { directory } = await openWithBlob(randomBytes(2 * blockBytes));
  const stray = join(directory, 'blocks', '00', 'A'.repeat(43));
  await writeFile(stray, 'left over');
  await openDiskStorage(directory, silent);
  const left = await blockFilesOf(directory);
  expect(left).toHaveLength(1);
  expect(left).not.toContain(stray);
});
