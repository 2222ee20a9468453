/**
 * Long texts are embedded in overlapping pieces of about 1,500 tokens (decisions.md, "Embeddings"). A token has about 4 bytes
 * in English and 3 in Chinese, so a limit in bytes works well enough for any script. The relayer and clients that embed
 * locally split texts in the same way, so that their vectors can be compared.
 */
const chunkBytes = 4_500;
const overlapBytes = 450;
/** A token is at least one byte, so a query of this length fits every model with a limit of 8,191 tokens. */
const queryBytes = 8_000;

/** The pieces of `text` to embed, at least one. Pieces end at white space if possible. */
export function embeddingChunks(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= chunkBytes) return [text];
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const chunks: string[] = [];
  for (let start = 0; ; ) {
    const end = start + chunkBytes >= bytes.length ? bytes.length : breakBefore(bytes, start + chunkBytes);
    chunks.push(decoder.decode(bytes.subarray(start, end)));
    if (end === bytes.length) return chunks;
    start = characterStart(bytes, end - overlapBytes);
  }
}

/** The part of a query that is searched for: its first 8,000 bytes, ending at white space if there is any. */
export function searchedQuery(query: string): { text: string; truncated: boolean } {
  const bytes = new TextEncoder().encode(query);
  if (bytes.length <= queryBytes) return { text: query, truncated: false };
  const end = breakBefore(bytes, queryBytes);
  return {
    text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, end)),
    truncated: true,
  };
}

/** The last white space in the final tenth before `limit`, else the last whole character. */
function breakBefore(bytes: Uint8Array, limit: number): number {
  for (let i = limit; i > limit - chunkBytes / 10; i--) if (bytes[i] === 0x20 || bytes[i] === 0x0a) return i;
  return characterStart(bytes, limit);
}

function characterStart(bytes: Uint8Array, index: number): number {
  let start = index;
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
