/**
 * The compression function of BLAKE2b (RFC 7693) for four messages at a time. Each vector contains a word of two
 * messages, and the steps of two such pairs are interleaved, because the steps of a single pair wait for each other
 * (20 % slower, measured).
 */
import {
  add64x2,
  bytes128,
  type Code,
  int,
  type Local,
  load128,
  seq,
  set,
  shiftRight64x2,
  shuffle,
  store128,
  swizzle,
  xor128,
} from '@memrelay/wasm/instructions';
import type { Scope } from '@memrelay/wasm/module';

/** RFC 7693, section 2.6. */
export const initialVector: readonly bigint[] = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];

/** The state before the first block: no key, no salt, a digest of 32 bytes. */
export const initialState = initialVector.map((word, i) => (i === 0 ? word ^ 0x01010020n : word));

/** RFC 7693, section 2.7. Rounds 10 and 11 repeat the first two. */
const schedule = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
] as const;

/** The four columns, then the four diagonals. */
const mixes = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

const rotation = (bytes: number): number[] =>
  Array.from({ length: 16 }, (_, i) => (i & 8) | ((i + bytes) & 7));

/** Number of messages processed at a time. */
export const lanes = 4;
const lanesOfVector = 2;
export const pairs = lanes / lanesOfVector;

const words = 16;
const vectorBytes = 16;

/**
 * The state takes all 16 vector registers of x64, so the other operands of a round are read from these fixed
 * addresses. In locals they would displace the state from the registers (10 % slower, measured).
 */
const rotateBy24At = 0;
const rotateBy16At = rotateBy24At + vectorBytes;
const messagesAt = rotateBy16At + vectorBytes;
/** The first address after this memory. */
export const scratchEnd = messagesAt + pairs * words * vectorBytes;

const messageWordAt = (pair: number, index: number): number =>
  messagesAt + (pair * words + index) * vectorBytes;

/** Writes the rotations to memory. Needed once per function, before `rounds`. */
export const prepareRounds = seq(
  store128(int(rotateBy24At), bytes128(rotation(3))),
  store128(int(rotateBy16At), bytes128(rotation(2))),
);

/** Stores a word of the two messages of a pair for `rounds`. */
export const putMessageWord = (pair: number, index: number, value: Code): Code =>
  store128(int(messageWordAt(pair, index)), value);

/** Reads what `putMessageWord` wrote. */
export const messageWord = (pair: number, index: number): Code => load128(int(messageWordAt(pair, index)));

/** Allocates sixteen locals for each pair. */
export const takeStates = (scope: Scope): Local[][] =>
  Array.from({ length: pairs }, () => Array.from({ length: words }, () => scope.vector()));

/** The twelve rounds. Words of the messages from `usedWords` on are known to be zero and are not added. */
export function rounds(states: readonly Local[][], usedWords: number): Code {
  const halves = [mixes.slice(0, 4), mixes.slice(4)];
  return seq(
    ...Array.from({ length: 12 }, (_, round) => schedule[round % schedule.length]!).flatMap((order) =>
      halves.flatMap((half, ofRound) =>
        states.flatMap((state, pair) =>
          half.map((indices, i) => {
            const word = (index: number): Code | undefined =>
              index < usedWords ? messageWord(pair, index) : undefined;
            const first = 2 * (ofRound * half.length + i);
            return mix(state, indices, word(order[first]!), word(order[first + 1]!));
          }),
        ),
      ),
    ),
  );
}

/** RFC 7693, section 3.1: the function G. */
function mix(
  state: readonly Local[],
  [ia, ib, ic, id]: (typeof mixes)[number],
  word: Code | undefined,
  secondWord: Code | undefined,
): Code {
  const [a, b, c, d] = [state[ia]!, state[ib]!, state[ic]!, state[id]!];
  // The word is added first: `b` is the last of the three to be known
  const sum = (added: Code | undefined): Code => add64x2(added === undefined ? a : add64x2(a, added), b);
  return seq(
    set(a, sum(word)),
    set(d, xor128(d, a)),
    set(d, shuffle(d, d, rotation(4))),
    set(c, add64x2(c, d)),
    set(b, swizzle(xor128(b, c), load128(int(rotateBy24At)))),
    set(a, sum(secondWord)),
    set(d, swizzle(xor128(d, a), load128(int(rotateBy16At)))),
    set(c, add64x2(c, d)),
    set(b, xor128(b, c)),
    set(b, xor128(add64x2(b, b), shiftRight64x2(b, 63))),
  );
}
