import { indexParts } from '@memrelay/dev-env/index-parts';
import { gaussian, seededRandom } from './random.ts';
import type { Namespace, Row } from './rows.ts';

const { normalize } = indexParts;

/** A way of storing rows that might leak less. */
export interface Variant {
  name: string;
  /** Length of the noise added to each unit vector */
  noise: number;
  /** Tokens added to each row, as a share of its own; at least `leastPadding` */
  padding: number;
}

export const variants: readonly Variant[] = [
  { name: 'as stored', noise: 0, padding: 0 },
  { name: 'noise 0.25', noise: 0.25, padding: 0 },
  { name: 'noise 0.5', noise: 0.5, padding: 0 },
  { name: 'noise 1', noise: 1, padding: 0 },
  { name: 'padding 50 %', noise: 0, padding: 0.5 },
];

/** A row with one word must not have a single token */
export const leastPadding = 4;

/**
 * The rows as stored in a variant. The noise goes through the map with the vector, so it is the same in both forms.
 */
export function rowsOf({ rows }: Namespace, { noise, padding }: Variant): Row[] {
  const random = seededRandom(7);
  const all = rows.flatMap((row) => [...row.tokens.keys()]);
  const different = new Set(all).size;
  return rows.map((row) => {
    const tokens = new Map(row.tokens);
    if (padding > 0) {
      // Drawn by frequency from the tokens of other texts, because tokens that are in no text would be easy to recognize
      const added = Math.max(leastPadding, Math.round(padding * tokens.size));
      const wanted = Math.min(different, tokens.size + added);
      while (tokens.size < wanted) {
        const token = all[Math.floor(random() * all.length)]!;
        if (!tokens.has(token)) tokens.set(token, 1);
      }
    }
    return { ...row, tokens, stored: noise > 0 ? noisy(row.stored, noise, random) : row.stored };
  });
}

function noisy(vector: Float32Array, length: number, random: () => number): Float32Array {
  const scale = length / Math.sqrt(vector.length);
  return normalize(vector.map((value) => value + scale * gaussian(random)));
}
