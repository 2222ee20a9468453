/** Writing one byte takes about as long as writing this many. */
const batchBytes = 64 * 1024;

/** The same bytes in pieces that are worth a write each. A piece that is large enough is passed on uncopied. */
export async function* inBatches(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < batchBytes) continue;
    yield waiting.length === 1 ? piece : Buffer.concat(waiting, bytes);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes);
}
