/** Splits a list into runs of at most `size`. */
export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
}

/**
 * Splits a list into chunks of at most `maxItems` whose JSON stays under `maxBytes`; a larger item is a chunk by
 * itself.
 */
export function chunksByJsonSize<T>(items: readonly T[], maxItems: number, maxBytes: number): T[][] {
  const encoder = new TextEncoder();
  const chunks: T[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = encoder.encode(JSON.stringify(item)).byteLength + 1;
    const last = chunks.at(-1);
    if (last === undefined || last.length >= maxItems || bytes + size > maxBytes) {
      chunks.push([item]);
      bytes = size;
    } else {
      last.push(item);
      bytes += size;
    }
  }
  return chunks;
}
