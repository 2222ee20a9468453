import type { Tags } from './bcs-writer.ts';
import { decodePatchHeader } from './patch-header.ts';
import type { QuiltColumns } from './quilt-columns.ts';
import { InvalidQuiltError } from './quilt-errors.ts';
import { decodeIndex, type IndexedPatch, indexColumns } from './quilt-index.ts';
import { columnBytes } from './quilt-layout.ts';

/**
 * Size of the pieces in which a patch is read, in bytes, rounded to whole columns. Must be longer than the longest
 * header.
 */
const pieceBytes = 1024 * 1024;

/** A patch whose header and first bytes have been read. */
export interface OpenPatch {
  /** From the header of the patch; used in responses */
  identifier: string;
  tags: Tags;
  /** Bytes of its content */
  size: number;
  /** Its content; the first piece is in memory. Can be read once. */
  content: AsyncIterable<Buffer>;
}

/** The patches of a quilt in the order of its index. Throws `InvalidQuiltError`. */
export async function readIndex(columns: QuiltColumns): Promise<IndexedPatch[]> {
  const first = await columns.read(0, 1);
  const count = indexColumns(first, columns.layout);
  return decodeIndex(count === 1 ? first : await columns.read(0, count), columns.layout);
}

/** Reads the patch in the columns from `start` to before `end`. Throws `InvalidQuiltError`. */
export async function readPatch(columns: QuiltColumns, start: number, end: number): Promise<OpenPatch> {
  const { layout } = columns;
  if (start >= end || end > layout.columns)
    throw new InvalidQuiltError('the quilt does not have these columns');
  const height = columnBytes(layout);
  const step = Math.max(1, Math.floor(pieceBytes / height));
  const first = await columns.read(start, Math.min(start + step, end));
  const { identifier, tags, headerBytes, size } = decodePatchHeader(first, (end - start) * height);

  async function* content(): AsyncGenerator<Buffer> {
    const last = headerBytes + size;
    yield first.subarray(headerBytes, last);
    for (let from = first.length; from < last; from += step * height) {
      const column = start + from / height;
      const width = Math.min(step, Math.ceil((last - from) / height));
      yield (await columns.read(column, column + width)).subarray(0, last - from);
    }
  }
  return { identifier, tags, size, content: content() };
}
