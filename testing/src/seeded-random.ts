/**
 * Numbers from 0 (inclusive) to 1 (exclusive), the same for the same seed, so that a failing run can be reproduced.
 */
export type Random = () => number;

/** Mulberry32 (public domain). Its 32 bits of state are enough for random times and lengths. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `from` to `to`, both inclusive. */
export const between = (random: Random, from: number, to: number): number =>
  from + Math.floor(random() * (to - from + 1));
