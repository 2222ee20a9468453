import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlobIndex } from '../src/storage/blob-index.ts';
import type { StoredBlob } from '../src/storage/storage.ts';

/** Blobs whose hashes start with the same bytes, so that they share chains. */
const blobs: StoredBlob[] = Array.from({ length: 40 }, (_, i) => {
  const hash = () => Buffer.concat([Buffer.from([i % 2, 0, 0, 0]), randomBytes(28)]).toString('base64url');
  return { blobId: hash(), digest: hash(), rootHash: hash(), size: 2 ** 33 + i };
});

test('finds every entry that was set and not deleted, in any order', () => {
  const step = fc.record({ at: fc.nat(blobs.length - 1), keep: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const index = new BlobIndex();
      const model = new Map<string, StoredBlob>();
      for (const { at, keep } of steps) {
        const blob = blobs[at]!;
        if (keep) index.set(blob);
        else index.delete(blob.blobId);
        if (keep) model.set(blob.blobId, blob);
        else model.delete(blob.blobId);
      }
      for (const blob of blobs) {
        expect(index.find('blobId', blob.blobId)).toEqual(model.get(blob.blobId));
        expect(index.find('digest', blob.digest)).toEqual(model.get(blob.blobId));
      }
      expect([...index.blobIds()].sort()).toEqual([...model.keys()].sort());
    }),
  );
});

test('grows, and reuses the space of deleted entries', () => {
  const index = new BlobIndex();
  const many = Array.from({ length: 5000 }, (_, size) => {
    const hash = () => randomBytes(32).toString('base64url');
    return { blobId: hash(), digest: hash(), rootHash: hash(), size };
  });
  for (const blob of many) index.set(blob);
  for (const { blobId } of many.slice(0, 2500)) index.delete(blobId);
  for (const blob of many) index.set(blob);
  for (const blob of many) expect(index.find('digest', blob.digest)).toEqual(blob);
  expect([...index.blobIds()]).toHaveLength(5000);
});

test('skips a blob that is deleted during an iteration', () => {
  const index = new BlobIndex();
  for (const blob of blobs) index.set(blob);
  const seen: string[] = [];
  for (const blobId of index.blobIds()) {
    seen.push(blobId);
    for (const other of blobs) if (!seen.includes(other.blobId)) index.delete(other.blobId);
  }
  expect(seen).toHaveLength(1);
});
