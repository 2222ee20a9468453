import { sentences } from './sentences.ts';

/** A part of a text that is sent to the model in one call. */
export interface Passage {
  text: string;
  /** The end of the text before the passage, so that a fact that begins there and ends here is not lost */
  before: string;
}

/** Bytes of UTF-8, about 1,500 tokens: short enough that the model misses no facts */
export const passageBytes = 6_000;
const beforeBytes = 1_200;
const topicBytes = 600;

/** Splits the whole text into passages that end with a sentence. */
export function passages(text: string): Passage[] {
  if (Buffer.byteLength(text) <= passageBytes) return [{ text, before: '' }];
  const units = sentences(text);
  return groups(units, passageBytes).map(({ from, to }) => {
    let start = from;
    for (let bytes = 0; start > 0; start--) {
      bytes += Buffer.byteLength(units[start - 1]!) + 1;
      if (bytes > beforeBytes) break;
    }
    return { text: units.slice(from, to).join('\n'), before: units.slice(start, from).join('\n') };
  });
}

/** Splits a text into short parts, each used as a query for stored memories. */
export function topics(text: string): string[] {
  const units = sentences(text);
  return groups(units, topicBytes).map(({ from, to }) => units.slice(from, to).join(' '));
}

/** Splits a passage whose facts did not fit into one response into two halves; undefined if it cannot be split. */
export function halves({ text, before }: Passage): [Passage, Passage] | undefined {
  const units = sentences(text);
  if (units.length < 2) return undefined;
  const middle = units.length >> 1;
  const first = units.slice(0, middle).join('\n');
  return [
    { text: first, before },
    { text: units.slice(middle).join('\n'), before: first.slice(-beforeBytes) },
  ];
}

/** Groups neighbouring units, as many as fit into `bytes`, but at least one per group. */
function groups(units: readonly string[], bytes: number): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  let from = 0;
  let size = 0;
  for (const [i, unit] of units.entries()) {
    const length = Buffer.byteLength(unit) + 1;
    if (i > from && size + length > bytes) {
      found.push({ from, to: i });
      from = i;
      size = 0;
    }
    size += length;
  }
  return [...found, { from, to: units.length }];
}
