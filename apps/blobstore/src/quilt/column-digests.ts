import { createHash, hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { BlobDamagedError, type StoredBlob } from '../storage/storage.ts';
import { gatherColumns, type QuiltColumns } from './quilt-columns.ts';
import { columnBytes, type QuiltLayout, rowBytes } from './quilt-layout.ts';
import { rowsToColumn } from './symbol-copy.ts';

/** Size of a band of rows that is read at once, in bytes. A band has at least one row. */
const bandBytes = 2 * 1024 * 1024;

/** Maximum number of concurrent reads. */
const readsAtOnce = 256;

const digestBytes = 32;

async function readFully(file: FileHandle, target: Buffer, position: number): Promise<void> {
  for (let filled = 0; filled < target.length; ) {
    const { bytesRead } = await file.read(target, filled, target.length - filled, position + filled);
    if (bytesRead === 0) throw new BlobDamagedError('a quilt is shorter on disk than when it was stored');
    filled += bytesRead;
  }
}

/**
 * The SHA-256 of each column, from one pass over the quilt that also compares its digest with the one recorded at
 * the store. Content that matches a column's digest is therefore identical to what was stored. Throws
 * `BlobDamagedError`.
 */
export async function computeColumnDigests(
  file: FileHandle,
  blob: Pick<StoredBlob, 'digest'>,
  layout: QuiltLayout,
): Promise<Buffer> {
  const whole = createHash('sha256');
  const hashes = Array.from({ length: layout.columns }, () => createHash('sha256'));
  const rowsPerBand = Math.max(1, Math.floor(bandBytes / rowBytes(layout)));
  for (let row = 0; row < layout.rows; row += rowsPerBand) {
    const count = Math.min(rowsPerBand, layout.rows - row);
    const band = Buffer.allocUnsafe(count * rowBytes(layout));
    await readFully(file, band, row * rowBytes(layout));
    whole.update(band);
    const segment = Buffer.allocUnsafe(count * layout.symbolBytes);
    for (const [column, columnHash] of hashes.entries()) {
      rowsToColumn(band, column * layout.symbolBytes, rowBytes(layout), layout.symbolBytes, segment);
      columnHash.update(segment);
    }
  }
  if (whole.digest('base64url') !== blob.digest)
    throw new BlobDamagedError('the content of a quilt has another digest');
  return Buffer.concat(hashes.map((columnHash) => columnHash.digest()));
}

/**
 * The columns of a quilt on disk. A read takes one range of bytes from each row, and returns only content that
 * matches the digest of its column; it throws `BlobDamagedError` for anything else.
 */
export function columnsOnDisk(file: FileHandle, layout: QuiltLayout, digests: Buffer): QuiltColumns {
  async function readStretches(start: number, end: number): Promise<Buffer> {
    const width = (end - start) * layout.symbolBytes;
    const rows = Buffer.allocUnsafe(layout.rows * width);
    for (let first = 0; first < layout.rows; first += readsAtOnce) {
      const reads: Promise<void>[] = [];
      for (let row = first; row < Math.min(first + readsAtOnce, layout.rows); row += 1) {
        const stretch = rows.subarray(row * width, (row + 1) * width);
        reads.push(readFully(file, stretch, row * rowBytes(layout) + start * layout.symbolBytes));
      }
      await Promise.all(reads);
    }
    return gatherColumns(rows, width, 0, end - start, layout);
  }

  return {
    layout,
    async read(start, end) {
      const columns = await readStretches(start, end);
      const height = columnBytes(layout);
      for (let column = start; column < end; column += 1) {
        const content = columns.subarray((column - start) * height, (column - start + 1) * height);
        const digest = hash('sha256', content, 'buffer');
        if (!digest.equals(digests.subarray(column * digestBytes, (column + 1) * digestBytes)))
          throw new BlobDamagedError(`column ${column} of a quilt has another digest`);
      }
      return columns;
    },
  };
}
