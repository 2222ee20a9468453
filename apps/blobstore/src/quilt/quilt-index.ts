import { createBcsReader } from '../base/bcs-reader.ts';
import { stringBytes, type Tags, tagsBytes, u16Bytes, ulebBytes } from './bcs-writer.ts';
import { InvalidQuiltError, invalidQuilt } from './quilt-errors.ts';
import { columnBytes, maxIndexColumns, type QuiltLayout } from './quilt-layout.ts';

/** A patch as listed in its quilt's index. */
export interface IndexedPatch {
  identifier: string;
  tags: Tags;
  /** First column */
  start: number;
  /** The column after its last */
  end: number;
}

const version = 1;

/** Length of the version and size fields before the index. */
const indexPrefixBytes = 5;

/**
 * The index of patches that are already sorted, for the start of the first column. Its length does not depend on
 * their columns.
 */
export function encodeIndex(patches: readonly Omit<IndexedPatch, 'start'>[]): Buffer {
  const entries = patches.flatMap(({ identifier, tags, end }) => [
    u16Bytes(end),
    stringBytes(identifier),
    tagsBytes(tags),
  ]);
  const index = Buffer.concat([ulebBytes(patches.length), ...entries]);
  const prefix = Buffer.alloc(indexPrefixBytes);
  prefix.writeUInt8(version);
  prefix.writeUInt32LE(index.length, 1);
  return Buffer.concat([prefix, index]);
}

/** Number of columns of the index that starts with `prefix`. Throws `InvalidQuiltError`. */
export function indexColumns(prefix: Buffer, layout: QuiltLayout): number {
  if (prefix.length < indexPrefixBytes || prefix.readUInt8() !== version)
    throw new InvalidQuiltError('this is not a quilt of version 1');
  const count = Math.ceil((indexPrefixBytes + prefix.readUInt32LE(1)) / columnBytes(layout));
  if (count > maxIndexColumns || count >= layout.columns)
    throw new InvalidQuiltError('the index is too long');
  return count;
}

/** The patches that an index lists, read from its columns one after another. Throws `InvalidQuiltError`. */
export function decodeIndex(columns: Buffer, layout: QuiltLayout): IndexedPatch[] {
  const count = indexColumns(columns, layout);
  const length = columns.readUInt32LE(1);
  const reader = createBcsReader(columns.subarray(indexPrefixBytes, indexPrefixBytes + length), invalidQuilt);
  const patches: IndexedPatch[] = [];
  let start = count;
  for (let left = reader.uleb(); left > 0; left -= 1) {
    const end = reader.u16();
    const identifier = reader.string();
    if (end <= start || end > layout.columns) throw new InvalidQuiltError('the index names invalid columns');
    patches.push({ identifier, tags: reader.stringMap(), start, end });
    start = end;
  }
  reader.end();
  return patches;
}
