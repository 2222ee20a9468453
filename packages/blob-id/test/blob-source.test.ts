import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { computeBlobId } from '../src/blob-id.ts';
import { bytesSource } from '../src/source/blob-source.ts';
import { withFileSource } from '../src/source/file-source-node.ts';
import { content } from './reference.ts';

const nShards = 10;

async function temporaryFile(bytes: Uint8Array): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'blob-id-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'blob');
  await writeFile(path, bytes);
  return path;
}

test('computes the same id for a file as for its bytes', async () => {
  for (const size of [0, 1, 27, 28, 29, 56, 57, 100_000]) {
    const bytes = content(size);
    const path = await temporaryFile(bytes);
    const identity = withFileSource(path, (source) => computeBlobId(source, { nShards }));
    expect(identity).toEqual(computeBlobId(bytes, { nShards }));
  }
});

test('a file that is truncated while being read is an error, not an id', async () => {
  const path = await temporaryFile(content(50_000));
  const identify = () =>
    withFileSource(path, ({ size, read }) => computeBlobId({ size: size + 1, read }, { nShards }));
  expect(identify).toThrow(/truncated/);
  await truncate(path, 0);
  expect(withFileSource(path, (source) => computeBlobId(source, { nShards }))).toEqual(
    computeBlobId(content(0), { nShards }),
  );
});

test("returns the system's error for a missing file", () => {
  expect(() => withFileSource('/nowhere/blob', (source) => source.size)).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  );
});

test('rejects a source with an invalid size', () => {
  const { read } = bytesSource(content(10));
  for (const size of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
    expect(() => computeBlobId({ size, read }, { nShards })).toThrow(RangeError);
});

test("passes a source's error on, and computes the next id correctly", () => {
  const bytes = content(20_000);
  const expected = computeBlobId(bytes, { nShards });
  const failure = new Error('broken');
  for (let failing = 0; failing < 4; failing++) {
    let reads = 0;
    const { size, read } = bytesSource(bytes);
    const source = {
      size,
      read(offset: number, into: Uint8Array) {
        if (reads++ === failing) throw failure;
        read(offset, into);
      },
    };
    expect(() => computeBlobId(source, { nShards })).toThrow(failure);
    expect(computeBlobId(bytes, { nShards })).toEqual(expected);
  }
});

test('allows a source to compute an id itself while it is read', () => {
  const bytes = content(20_000);
  const other = content(500);
  const { size, read } = bytesSource(bytes);
  const ids: string[] = [];
  const source = {
    size,
    read(offset: number, into: Uint8Array) {
      ids.push(computeBlobId(other, { nShards }).blobId);
      read(offset, into);
    },
  };
  expect(computeBlobId(source, { nShards })).toEqual(computeBlobId(bytes, { nShards }));
  expect(new Set(ids)).toEqual(new Set([computeBlobId(other, { nShards }).blobId]));
});

test('leaves no content of a blob for the next one', () => {
  const [large, small] = [content(300_000), content(3)];
  const expected = [large, small].map((bytes) => computeBlobId(bytes, { nShards: 31 }));
  for (let i = 0; i < 3; i++)
    expect([large, small].map((bytes) => computeBlobId(bytes, { nShards: 31 }))).toEqual(expected);
});
