/** JSONC for a parser, with the way back to the offsets of the original text. */
export interface Jsonc {
  text: string;
  /** Maps the start or end of a token in `text` to its offset in the original */
  originalOffset: (offset: number) => number;
}

const comment = /\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)/;
const quoted = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/;
/** A string that is not closed on its line; left unchanged, so that the parser reports it */
const unclosed = /["'][^\n]*/;
const bareWord = /[^\s\ufeff,:[\]{}"'/]+/;
/** Byte order mark and other white space that JSONC does not allow */
const otherSpace = /[^\S \t\r\n]|\ufeff/;
const token = new RegExp(
  [comment, quoted, unclosed, bareWord, otherSpace].map(({ source }) => `(${source})`).join('|'),
  'g',
);
const colonNext = new RegExp(`^(?:[\\s\\ufeff]|${comment.source})*:`);

/** Replaces what JSON5 adds to JSONC: single quotes, bare keys, and more forms of numbers, escapes and white space. */
export function json5ToJsonc(original: string): Jsonc {
  /** Ends of the replaced tokens, ascending, and how much longer `text` is than the original up to there */
  const shifts: { end: number; shift: number }[] = [];
  let shift = 0;
  const text = original.replace(token, (found: string, ...groups: unknown[]) => {
    const [, string, , word, space] = groups as (string | undefined)[];
    const offset = groups[5] as number;
    let replacement = found;
    if (string !== undefined) replacement = jsonString(string);
    else if (word !== undefined)
      replacement = colonNext.test(original.slice(offset + word.length))
        ? JSON.stringify(word)
        : jsonScalar(word);
    else if (space !== undefined) replacement = ' ';
    if (replacement.length !== found.length) {
      shift += replacement.length - found.length;
      shifts.push({ end: offset + found.length + shift, shift });
    }
    return replacement;
  });
  return {
    text,
    originalOffset: (offset) => offset - (shifts.findLast(({ end }) => end <= offset)?.shift ?? 0),
  };
}

/** Escapes that only JSON5 has are taken literally, which is enough for keys and paths. */
function jsonString(string: string): string {
  const inner = string.slice(1, -1);
  const json = string.startsWith("'")
    ? `"${inner.replace(/\\'/g, "'").replace(/(?<!\\)"/g, '\\"')}"`
    : string;
  try {
    JSON.parse(json);
    return json;
  } catch {
    return JSON.stringify(inner.replace(/\\(\r?\n|[\s\S])/g, '$1'));
  }
}

/** Infinity and NaN become null. A word that is not a value stays, so that the parser reports it. */
function jsonScalar(word: string): string {
  const unsigned = Number(word.replace(/^[+-]/, ''));
  if (Number.isNaN(unsigned) && !/^[+-]?NaN$/.test(word)) return word;
  return JSON.stringify(word.startsWith('-') ? -unsigned : unsigned);
}
