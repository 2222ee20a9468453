/**
 * Long texts are embedded in overlapping pieces (decisions.md, "Embeddings"): about 1,500 tokens each. A token of
 * English is about 4 bytes and of Chinese about 3, so bytes bound tokens well enough for any script.
 */
const chunkBytes = 4_500;
const overlapBytes = 450;

/** The pieces of `text` to embed, at least one; pieces end at white space where there is some. */
export function embeddingChunks(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= chunkBytes) return [text];
  const chunks: string[] = [];
  for (let start = 0; ; ) {
    const end = start + chunkBytes >= bytes.length ? bytes.length : breakBefore(bytes, start + chunkBytes);
    chunks.push(bytes.toString('utf8', start, end));
    if (end === bytes.length) return chunks;
    start = characterStart(bytes, end - overlapBytes);
  }
}

/** The last white space in the final tenth before `limit`, else the last whole character. */
function breakBefore(bytes: Buffer, limit: number): number {
  for (let i = limit; i > limit - chunkBytes / 10; i--) if (bytes[i] === 0x20 || bytes[i] === 0x0a) return i;
  return characterStart(bytes, limit);
}

function characterStart(bytes: Buffer, index: number): number {
  let start = index;
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
