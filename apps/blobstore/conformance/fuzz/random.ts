/** Random values, reproducible from a seed. */
export interface Random {
  /** A whole number from 0 to `limit` - 1 */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
  /** True with a probability of 1 in `times` */
  oneIn(times: number): boolean;
  bytes(length: number): Buffer;
  /** A text of random characters of the alphabet */
  text(alphabet: string, length: number): string;
}

/** The generator mulberry32: small, and random enough for fuzzing. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick: (items) => items[below(items.length)]!,
    oneIn: (times) => below(times) === 0,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
    text: (alphabet, length) => Array.from({ length }, () => alphabet[below(alphabet.length)] ?? '').join(''),
  };
}
