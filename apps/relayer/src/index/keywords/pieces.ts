/** Characters that are looked through at once: some milliseconds, of most texts; 60 of the worst */
const pieceLength = 32_768;

/** A text in pieces that end at white space, where its terms do; only without any for so long elsewhere. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length || start === 0; ) {
    const limit = start + pieceLength;
    const space =
      limit < text.length ? Math.max(text.lastIndexOf(' ', limit), text.lastIndexOf('\n', limit)) : -1;
    const end = space > start ? space : limit;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}
