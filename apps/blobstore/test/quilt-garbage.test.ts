import { randomBytes, randomInt } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { sourceMatrix } from '@memrelay/blob-id/source/matrix';
import { describe, expect, test } from 'vitest';
import { columnsInMemory } from '../src/quilt/quilt-columns.ts';
import { InvalidQuiltError } from '../src/quilt/quilt-errors.ts';
import { layoutOfSize } from '../src/quilt/quilt-layout.ts';
import { readIndex, readPatch } from '../src/quilt/read-quilt.ts';
import { encodeInMemory, memoryFile } from './quilt-in-memory.ts';

const nShards = 31;

/** Reads all patches of a blob as a quilt. Returns the number of content bytes. */
async function readEverything(blob: Buffer): Promise<number> {
  const layout = layoutOfSize(blob.length, nShards);
  if (layout === undefined) throw new InvalidQuiltError('no layout');
  const columns = columnsInMemory(blob, layout);
  let bytes = 0;
  for (const { start, end } of await readIndex(columns)) {
    const patch = await readPatch(columns, start, end);
    const content = await buffer(patch.content);
    expect(content.length).toBe(patch.size);
    bytes += content.length;
  }
  return bytes;
}

/**
 * Checks that a blob is either read as a quilt whose content is not longer than the blob, or rejected as not a
 * quilt.
 */
async function readOrRefuse(blob: Buffer): Promise<'read' | 'refused'> {
  try {
    expect(await readEverything(blob)).toBeLessThanOrEqual(blob.length);
    return 'read';
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidQuiltError);
    return 'refused';
  }
}

const { rows, columns } = sourceMatrix(nShards);

test('rejects blobs that are not quilts', async () => {
  for (const blob of [
    Buffer.alloc(0),
    Buffer.alloc(rows * columns),
    Buffer.alloc(rows * columns * 2),
    Buffer.alloc(rows * columns * 2, 1),
    Buffer.alloc(rows * columns * 2, 255),
    Buffer.alloc(rows * columns * 3, 1),
    Buffer.alloc(rows * columns * 65_536),
    Buffer.alloc(rows * columns * 2 + 1, 1),
  ]) {
    expect(await readOrRefuse(blob)).toBe('refused');
  }
});

test('rejects random bytes, even if they start like a quilt', async () => {
  for (let round = 0; round < 300; round += 1) {
    const blob = randomBytes(rows * columns * 2 * randomInt(1, 20));
    if (round % 2 === 0) {
      blob.writeUInt8(1, 0);
      blob.writeUInt8(randomInt(256), 1);
    }
    await readOrRefuse(blob);
  }
});

describe('a quilt with changed bytes', () => {
  const files = Array.from({ length: 12 }, (_, n) =>
    memoryFile(`file-${n}`, randomBytes(n * 50), n % 2 === 0 ? { kind: 'even', n: String(n) } : {}),
  );

  test('is read or rejected, without reads outside of it', async () => {
    const { quilt, plan } = await encodeInMemory(files, nShards);
    const { symbolBytes } = plan.layout;
    const outcomes = { read: 0, refused: 0 };
    for (let round = 0; round < 3000; round += 1) {
      const changed = Buffer.from(quilt);
      for (let changes = randomInt(1, 4); changes > 0; changes -= 1) {
        // The first symbols of each column contain the index and the headers.
        const row = randomInt(3);
        const position = row * columns * symbolBytes + randomInt(columns * symbolBytes);
        changed[position] = [0, 1, 0x7f, 0x80, 0xff, randomInt(256)][randomInt(6)] as number;
      }
      outcomes[await readOrRefuse(changed)] += 1;
    }
    expect(outcomes.read).toBeGreaterThan(0);
    expect(outcomes.refused).toBeGreaterThan(0);
  });

  test('is rejected if its index or a header has wrong lengths or columns', async () => {
    const { quilt, plan } = await encodeInMemory([memoryFile('a', 'hello', { k: 'v' })], nShards);
    const { symbolBytes } = plan.layout;
    const stride = columns * symbolBytes;
    /** The bytes of a column, and a way to write them back. */
    const changedAt = (column: number, offset: number, value: number) => {
      const changed = Buffer.from(quilt);
      const position =
        Math.floor(offset / symbolBytes) * stride + column * symbolBytes + (offset % symbolBytes);
      changed[position] = value;
      return changed;
    };
    const lies: [column: number, offset: number, value: number][] = [
      [0, 0, 2], // version
      [0, 1, 255], // length of the index
      [0, 4, 255],
      [0, 5, 2], // number of patches
      [0, 6, 0], // its last column
      [0, 6, 1],
      [0, 6, 255],
      [0, 8, 200], // length of the identifier
      [0, 9, 0xff], // the identifier
      [0, 10, 2], // number of tags
      [1, 0, 0], // version
      [1, 4, 255], // length of the patch
      [1, 1, 0],
      [1, 6, 255], // length of the identifier
      [1, 8, 0], // its length again
      [1, 10, 1], // length of the tags
    ];
    for (const [column, offset, value] of lies) {
      expect([column, offset, value, await readOrRefuse(changedAt(column, offset, value))]).toEqual([
        column,
        offset,
        value,
        'refused',
      ]);
    }
    expect(await readOrRefuse(quilt)).toBe('read');
  });
});

test('rejects tags that are out of order or repeated, as BCS requires', async () => {
  const { quilt } = await encodeInMemory([memoryFile('a', '', { k1: 'v', k2: 'v' })], nShards);
  for (const key of ['k3', 'k2']) {
    const changed = Buffer.from(quilt);
    // Both the index and the header of the patch contain the tags.
    const { symbolBytes } = layoutOfSize(quilt.length, nShards) as { symbolBytes: number };
    expect(symbolBytes).toBeLessThanOrEqual(8);
    for (const column of [0, 1]) {
      const bytes = Buffer.concat(
        Array.from({ length: rows }, (_, row) => {
          const from = (row * columns + column) * symbolBytes;
          return quilt.subarray(from, from + symbolBytes);
        }),
      );
      bytes.write(key, bytes.indexOf('k1'));
      for (let row = 0; row < rows; row += 1) {
        bytes.copy(
          changed,
          (row * columns + column) * symbolBytes,
          row * symbolBytes,
          (row + 1) * symbolBytes,
        );
      }
    }
    expect(await readOrRefuse(changed)).toBe('refused');
  }
});
