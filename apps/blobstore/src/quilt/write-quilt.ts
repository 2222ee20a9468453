import type { QuiltFile, QuiltPlan } from './plan-quilt.ts';
import { columnBytes, type QuiltLayout, rowBytes } from './quilt-layout.ts';
import { columnToRows } from './symbol-copy.ts';

/** Size of a band of rows that is built at once, in bytes. A band has at least one row. */
const bandBytes = 2 * 1024 * 1024;

/** Reads `length` bytes of a file's content from `offset`. */
export type ReadFileContent<F> = (file: F, offset: number, length: number) => Promise<Buffer>;

/** The content of the columns from `start` on: bytes in memory, followed by content that is read. */
interface Strip {
  start: number;
  head: Buffer;
  size: number;
  content: (offset: number, length: number) => Promise<Buffer>;
}

/** Up to `length` bytes of a strip from `offset`; fewer at its end, none beyond it. */
async function readStrip({ head, size, content }: Strip, offset: number, length: number): Promise<Buffer> {
  const end = Math.min(offset + length, size);
  if (end <= offset) return Buffer.alloc(0);
  if (end <= head.length) return head.subarray(offset, end);
  if (offset >= head.length) return content(offset - head.length, end - offset);
  return Buffer.concat([head.subarray(offset), await content(0, end - head.length)]);
}

/**
 * Generates the bytes of a quilt in order, one band of rows at a time, so that memory use does not depend on the
 * size. The rows of a band are consecutive bytes in each column, so each column takes one read per band.
 */
export async function* writeQuilt<F extends QuiltFile>(
  { layout, index, patches }: QuiltPlan<F>,
  readContent: ReadFileContent<F>,
): AsyncGenerator<Buffer> {
  const strips: Strip[] = [
    { start: 0, head: index, size: index.length, content: async () => Buffer.alloc(0) },
    ...patches.map(({ file, header, start }) => ({
      start,
      head: header,
      size: header.length + file.size,
      content: (offset: number, length: number) => readContent(file, offset, length),
    })),
  ];
  const rowsPerBand = Math.max(1, Math.floor(bandBytes / rowBytes(layout)));
  for (let row = 0; row < layout.rows; row += rowsPerBand) {
    const count = Math.min(rowsPerBand, layout.rows - row);
    yield await buildBand(layout, strips, row, count);
  }
}

async function buildBand(layout: QuiltLayout, strips: Strip[], row: number, count: number): Promise<Buffer> {
  const band = Buffer.alloc(count * rowBytes(layout));
  const from = row * layout.symbolBytes;
  for (const strip of strips) {
    const width = Math.ceil(strip.size / columnBytes(layout));
    for (let column = 0; column < width; column += 1) {
      const offset = column * columnBytes(layout) + from;
      const segment = await readStrip(strip, offset, count * layout.symbolBytes);
      columnToRows(segment, band, strip.start + column, layout);
    }
  }
  return band;
}
