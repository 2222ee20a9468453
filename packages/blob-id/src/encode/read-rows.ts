import type { Kernel } from '../kernel/kernel.ts';
import type { BlobSource } from '../source/blob-source.ts';
import type { BlobPlan, Pass } from './blob-plan.ts';
import type { Rows } from './expand.ts';

/** Whole symbols are read up to this many bytes at a time where a pass needs only a part of each. */
const readBufferBytes = 2 ** 20;
/** From here on the bytes between the parts that a pass needs are not worth reading. */
const skipFromBytes = 16 * 2 ** 10;

/** Bytes that `readRows` needs to work in. */
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

  /** How many symbols one read covers, and how many of their bytes. */
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
