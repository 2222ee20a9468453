/** Writing one byte takes about as long as writing this many. */
const batchBytes = 64 * 1024;

/**
 * Merges small pieces into batches of at least `batchBytes`. Pieces that are large enough are passed on without
 * copying.
 */
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
