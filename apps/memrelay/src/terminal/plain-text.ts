import { stripVTControlCharacters } from 'node:util';

/**
 * Makes foreign text safe for a terminal by removing control characters, so that a stored memory cannot move the
 * cursor, change colours or retitle the window. Line breaks and tabs become spaces.
 */
export function plainText(text: string): string {
  return text
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
}

/** `1 memory`, `2 memories`. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Cuts to at most `width` characters, with an ellipsis if text was cut. */
export function cut(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

/** Breaks at spaces into lines of at most `width` characters; a longer word gets a separate line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Rows with columns padded to the same width, two spaces between them. Cells may be coloured. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, shownLength(cell));
  return rows.map((row) =>
    row
      .map((cell, i) => cell + ' '.repeat(widths[i]! - shownLength(cell)))
      .join('  ')
      .trimEnd(),
  );
}

const shownLength = (text: string): number => stripVTControlCharacters(text).length;
