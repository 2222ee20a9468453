import type { Kernel } from '../kernel/kernel.ts';
import type { BlobSource } from '../source/blob-source.ts';
import type { BlobPlan, Pass } from './blob-plan.ts';
import type { Rows } from './expand.ts';

/** Maximum size of a read that covers several symbols, if a pass needs only a part of each, in bytes. */
const readBufferBytes = 2 ** 20;
/** Gaps between the needed parts from this size on are skipped instead of read, in bytes. */
const skipFromBytes = 16 * 2 ** 10;

/** Size of the working memory of `readRows`, in bytes. */
export function readBufferFor({ symbolBytes, passes }: BlobPlan): number {
  return passes.length > 1 ? Math.max(readBufferBytes, symbolBytes) : 0;
}

/** Reads the bytes of a pass from all rows with content. Bytes after the end of the blob are zero. */
export function readRows(
  kernel: Kernel,
  source: BlobSource,
  plan: BlobPlan,
  pass: Pass,
  rows: Rows,
  buffer: number,
): void {
  const { size, symbolBytes, usedRows, matrix } = plan;
  const rowBytes = matrix.columns * symbolBytes;
  const bytes = kernel.bytes();

  /** Reads into `at`, with zeros after the end. */
  function read(offset: number, at: number, length: number): void {
    const there = Math.max(0, Math.min(length, size - offset));
    if (there > 0) source.read(offset, bytes.subarray(at, at + there));
    bytes.fill(0, at + there, at + length);
  }

  /** Whether reads cover whole symbols, and the number of symbols per read. */
  const whole = symbolBytes - pass.bytes < skipFromBytes;
  const together = whole ? Math.max(1, Math.floor(readBufferBytes / symbolBytes)) : 1;
  for (let row = 0; row < usedRows; row++) {
    const rowAt = rows.at + row * rows.stride;
    if (pass.bytes === symbolBytes) {
      read(row * rowBytes, rowAt, rowBytes);
      continue;
    }
    for (let column = 0; column < matrix.columns; column += together) {
      const offset = row * rowBytes + column * symbolBytes;
      const to = rowAt + column * pass.bytes;
      if (whole) {
        const count = Math.min(together, matrix.columns - column);
        read(offset, buffer, count * symbolBytes);
        kernel.copyPieces(to, pass.bytes, buffer + pass.offset, symbolBytes, pass.bytes, count);
      } else read(offset + pass.offset, to, pass.bytes);
    }
  }
}
