import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { encodeQuilt } from '@mysten/walrus';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createWasmEncoder } from '../src/base/blob-id-encoder.ts';
import { parsePatchId, patchIdOf } from '../src/quilt/patch-id.ts';
import { planQuilt } from '../src/quilt/plan-quilt.ts';
import { columnsInMemory } from '../src/quilt/quilt-columns.ts';
import { QuiltInputError } from '../src/quilt/quilt-errors.ts';
import { layoutOfSize, maxPatches, quiltBytes } from '../src/quilt/quilt-layout.ts';
import { readIndex, readPatch } from '../src/quilt/read-quilt.ts';
import { writeQuilt } from '../src/quilt/write-quilt.ts';
import { encodeInMemory, type MemoryFile, memoryFile } from './quilt-in-memory.ts';

/** Reads a quilt back, patch by patch. */
async function decodeAll(quilt: Buffer, nShards: number): Promise<MemoryFile[]> {
  const layout = layoutOfSize(quilt.length, nShards);
  if (layout === undefined) throw new Error('no layout');
  const columns = columnsInMemory(quilt, layout);
  const files: MemoryFile[] = [];
  for (const { start, end, identifier, tags } of await readIndex(columns)) {
    const patch = await readPatch(columns, start, end);
    expect([patch.identifier, patch.tags]).toEqual([identifier, tags]);
    const content = await buffer(patch.content);
    files.push({ identifier, tags, size: patch.size, content });
  }
  return files;
}

function randomFiles(count: number, maxBytes: number): MemoryFile[] {
  return Array.from({ length: count }, (_, position) => {
    const tags = Object.fromEntries(
      Array.from({ length: randomInt(3) }, () => [
        randomBytes(randomInt(1, 9)).toString('hex'),
        randomBytes(randomInt(40)).toString('base64'),
      ]),
    );
    const name = `${randomBytes(randomInt(1, 20)).toString('base64url')}-${position}-é`;
    return memoryFile(name, randomBytes(randomInt(maxBytes + 1)), tags);
  });
}

function theirQuilt(files: MemoryFile[], numShards: number): Buffer {
  const blobs = files.map(({ identifier, content, tags }) => ({
    identifier,
    contents: content,
    tags: Object.fromEntries(tags),
  }));
  return Buffer.from(encodeQuilt({ blobs, numShards }).quilt);
}

const goldenQuilts: [files: MemoryFile[], quiltId: string, patchIdTails: string[]][] = [
  [
    [memoryFile('patch-1.txt', 'Hello from patch 1'), memoryFile('patch-2.txt', 'Hello from patch 2')],
    'BfdX2ehcmlCnc4COknwCIVmi5Z-VeOhQ87PHWeYYW8k',
    ['BAQACAA', 'BAgADAA'],
  ],
  [[memoryFile('a', 'x', { k: 'v' })], 'no6Wz23NBW4kvXwOrb7qepFct0X4H76S9AC5RXyRfzE', ['BAQACAA']],
  [
    [memoryFile('empty', ''), memoryFile('B', 'B'), memoryFile('a', 'a')],
    'he9Md8o-yZiHn9oB9IFCwKkpIrxSq1S58jYmaDGREeA',
    ['BAQACAA', 'BAgADAA', 'BAwAEAA'],
  ],
];

test('with 1000 shards, quilts and patches have the same ids as on the public networks', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'quilt-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const encoder = createWasmEncoder(1000, 2);
  onTestFinished(() => encoder.close());
  for (const [files, quiltId, tails] of goldenQuilts) {
    const { quilt, plan } = await encodeInMemory(files, 1000);
    const path = join(directory, quiltId);
    await writeFile(path, quilt);
    expect((await encoder.identify(path)).blobId).toBe(quiltId);
    const ids = plan.patches.map(({ start, end }) => patchIdOf({ quiltId, start, end }));
    expect(ids.map((id) => [id.length, id.slice(-7)])).toEqual(tails.map((tail) => [50, tail]));
  }
});

test('666 files of 1000 bytes fill a quilt of 3,564,448 bytes', async () => {
  const files = Array.from({ length: 666 }, (_, n) => memoryFile(`f${n}`, Buffer.alloc(1000, n)));
  const { quilt } = await encodeInMemory(files, 1000);
  expect(quilt.length).toBe(3_564_448);
  expect(quilt.equals(theirQuilt(files, 1000))).toBe(true);
});

describe.each([4, 7, 31, 100, 1000])('with %i shards', (nShards) => {
  const rounds = nShards === 1000 ? 6 : 40;

  test("the bytes equal the Walrus SDK's, and every file is read back unchanged", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const count = randomInt(1, Math.min(maxPatches(nShards), 60) + 1);
      const files = randomFiles(count, [0, 10, 3000, 60_000][round % 4] as number);
      const { quilt } = await encodeInMemory(files, nShards);
      expect(quilt.equals(theirQuilt(files, nShards))).toBe(true);
      const ordered = files.toSorted((a, b) =>
        Buffer.compare(Buffer.from(a.identifier), Buffer.from(b.identifier)),
      );
      expect(await decodeAll(quilt, nShards)).toEqual(ordered);
    }
  });

  test('the order of the files does not matter', async () => {
    const files = randomFiles(Math.min(maxPatches(nShards), 12), 500);
    const { quilt } = await encodeInMemory(files, nShards);
    expect((await encodeInMemory(files.toReversed(), nShards)).quilt.equals(quilt)).toBe(true);
  });

  test('accepts at most one patch fewer than there are columns', async () => {
    const most = maxPatches(nShards);
    const files = Array.from({ length: most + 1 }, (_, n) => memoryFile(`n${n}`, ''));
    expect(() => planQuilt(files, nShards)).toThrow(QuiltInputError);
    expect(await decodeAll((await encodeInMemory(files.slice(1), nShards)).quilt, nShards)).toHaveLength(
      most,
    );
  });
});

describe('follows Rust where the Walrus SDK and the Rust implementation differ', () => {
  test('identifiers are ordered by their UTF-8 bytes, not by UTF-16', async () => {
    const files = [memoryFile('\u{1F600}', '1'), memoryFile('\uFF5E', '2')];
    const { quilt } = await encodeInMemory(files, 31);
    expect((await decodeAll(quilt, 31)).map(({ identifier }) => identifier)).toEqual(['\uFF5E', '\u{1F600}']);
    expect(quilt.equals(theirQuilt(files, 31))).toBe(false);
  });

  test.each([
    ['nothing', ''],
    ['a space at its end', 'a '],
    ['a no-break space at its end', 'a\u00A0'],
    ['a control character', 'a\u0007b'],
    ['a control character of the second set', 'a\u0085b'],
    ['half a surrogate pair', 'a\uD800b'],
    ['65,532 bytes', 'x'.repeat(65_532)],
  ])('rejects an identifier with %s', (_name, identifier) => {
    expect(() => planQuilt([memoryFile(identifier, '')], 31)).toThrow(QuiltInputError);
  });

  test.each(['_test', '-test', '.test', ' test', 'test blob', '日本', '\uFEFF', 'x'.repeat(65_531)])(
    'accepts an identifier like %.10s',
    async (identifier) => {
      const { quilt } = await encodeInMemory([memoryFile(identifier, 'x')], 31);
      expect((await decodeAll(quilt, 31))[0]?.identifier).toBe(identifier);
    },
  );
});

test('rejects two files with one name, no file, and tags that are too long', () => {
  expect(() => planQuilt([memoryFile('a', '1'), memoryFile('a', '2')], 31)).toThrow(QuiltInputError);
  expect(() => planQuilt([], 31)).toThrow(QuiltInputError);
  expect(() => planQuilt([memoryFile('a', '', { k: 'v'.repeat(65_531) })], 31)).toThrow(QuiltInputError);
  expect(() => planQuilt([memoryFile('a', '', { k: 'v'.repeat(65_529) })], 31)).not.toThrow();
});

test('rejects content that no symbol size can hold before building anything', () => {
  const size = 12 * 1024 * 1024;
  expect(() => planQuilt([{ ...memoryFile('a', ''), size }], 31)).not.toThrow();
  const files = Array.from({ length: 20 }, (_, n) => ({
    ...memoryFile(`n${n}`, ''),
    size: n === 0 ? size : 1,
  }));
  expect(() => planQuilt(files, 31)).toThrow(QuiltInputError);
});

test('uses the smallest symbols that hold everything', async () => {
  for (let round = 0; round < 200; round += 1) {
    const nShards = [4, 7, 31, 100][round % 4] as number;
    const files = randomFiles(randomInt(1, Math.min(maxPatches(nShards), 40) + 1), 5000);
    const { layout } = planQuilt(files, nShards);
    const smaller = (layout.symbolBytes - 2) * layout.rows;
    const sizes = planQuilt(files, nShards).patches.map(({ header, file }) => header.length + file.size);
    const indexSize = planQuilt(files, nShards).index.length;
    const needed = [indexSize, ...sizes].reduce((sum, size) => sum + Math.ceil(size / smaller), 0);
    expect(smaller === 0 || needed > layout.columns || indexSize > 10 * smaller).toBe(true);
    expect(quiltBytes(layout) % (layout.rows * layout.columns)).toBe(0);
  }
});

test('parses only valid patch ids', () => {
  const quiltId = randomBytes(32).toString('base64url');
  const id = patchIdOf({ quiltId, start: 1, end: 667 });
  expect(parsePatchId(id)).toEqual({ quiltId, start: 1, end: 667 });
  const bytes = Buffer.from(id, 'base64url');
  const changed = (position: number, value: number) =>
    Buffer.from(bytes.with(position, value)).toString('base64url');
  expect(parsePatchId(changed(32, 2))).toBeUndefined();
  expect(parsePatchId(patchIdOf({ quiltId, start: 3, end: 3 }))).toBeUndefined();
  expect(parsePatchId(patchIdOf({ quiltId, start: 0, end: 1 }))).toBeUndefined();
  for (const text of [
    '',
    quiltId,
    id.slice(1),
    `${id}A`,
    `${id}=`,
    `${id.slice(0, -1)}B`,
    `${id.slice(0, -1)}+`,
  ])
    expect(parsePatchId(text)).toBeUndefined();
});

test('builds a large quilt from small reads, in small pieces', async () => {
  const files = Array.from({ length: 300 }, (_, n) => ({ ...memoryFile(`n${n}`, ''), size: 250_000 + n }));
  const plan = planQuilt(files, 1000);
  let largestRead = 0;
  let reads = 0;
  let written = 0;
  const pieces = writeQuilt(plan, async (_file, _offset, length) => {
    reads += 1;
    largestRead = Math.max(largestRead, length);
    return Buffer.alloc(length);
  });
  for await (const piece of pieces) {
    expect(piece.length).toBeLessThanOrEqual(2 * 1024 * 1024);
    written += piece.length;
  }
  expect(written).toBe(quiltBytes(plan.layout));
  expect(largestRead).toBeLessThan(10_000);
  expect(reads).toBeLessThan(100_000);
});
