/** Which memories contain a token, and how often. Memories are numbers, their places in the index. */
export interface Postings {
  /** Estimated bytes */
  readonly bytes: number;
  add(place: number, entry: WordEntry): void;
  remove(place: number, entry: WordEntry): void;
  /** The places that contain a token, ascending; `times` reads each */
  holders(token: number): readonly number[];
}

/** Distinct tokens of a memory, and how often each occurs, 1 to 3. */
export interface WordEntry {
  tokens: Float64Array;
  times: Uint8Array;
}

/** A holder is `place × 4 + times`: small integers take no memory of their own. */
export const placeOf = (holder: number): number => holder >> 2;
export const timesOf = (holder: number): number => holder & 3;

const none: readonly number[] = [];
/** A token with its list, and an entry of a list (measured) */
const bytesPerToken = 120;
const bytesPerHolder = 8;

export function createPostings(): Postings {
  const lists = new Map<number, number[]>();
  let held = 0;
  return {
    get bytes() {
      return lists.size * bytesPerToken + held * bytesPerHolder;
    },
    add(place, { tokens, times }) {
      for (const [i, token] of tokens.entries()) {
        const list = lists.get(token);
        const holder = place * 4 + times[i]!;
        if (!list) lists.set(token, [holder]);
        else if (list.at(-1)! < holder) list.push(holder);
        else list.splice(firstAt(list, place), 0, holder);
      }
      held += tokens.length;
    },
    remove(place, { tokens }) {
      for (const token of tokens) {
        const list = lists.get(token)!;
        list.splice(firstAt(list, place), 1);
        if (list.length === 0) lists.delete(token);
      }
      held -= tokens.length;
    },
    holders: (token) => lists.get(token) ?? none,
  };
}

/** How often the memory at a place contains a token, 0 to 3. */
export function timesAt(holders: readonly number[], place: number): number {
  const holder = holders[firstAt(holders, place)];
  return holder !== undefined && placeOf(holder) === place ? timesOf(holder) : 0;
}

/** Index of the first holder that is not before a place. */
function firstAt(holders: readonly number[], place: number): number {
  let [low, high] = [0, holders.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holders[middle]! < place * 4) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * A token as a number: its lower 53 bits. Two of a namespace with a million tokens are the same with a probability of
 * one in ten thousand.
 */
export const tokenNumber = (token: bigint): number => Number(BigInt.asUintN(53, token));

/** `array_send` of `bigint[]`: 20 bytes (12 if empty), then for each element its length and its value. */
const arrayHeader = 20;
const elementBytes = 12;

export function tokenNumbers(sent: Buffer | undefined): Float64Array {
  const count = sent ? Math.max(0, Math.floor((sent.length - arrayHeader) / elementBytes)) : 0;
  const tokens = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const at = arrayHeader + i * elementBytes + 4;
    tokens[i] = (sent!.readUInt32BE(at) & 0x1fffff) * 2 ** 32 + sent!.readUInt32BE(at + 4);
  }
  return tokens;
}

/** The entry of a memory from its three columns of tokens. */
export function wordEntry(
  all: Buffer | undefined,
  twice: Buffer | undefined,
  often: Buffer | undefined,
): WordEntry {
  const tokens = [...new Set(tokenNumbers(all))];
  const [inTwice, inOften] = [new Set(tokenNumbers(twice)), new Set(tokenNumbers(often))];
  return {
    tokens: Float64Array.from(tokens),
    times: Uint8Array.from(tokens, (token) => 1 + Number(inTwice.has(token)) + Number(inOften.has(token))),
  };
}
