import {
  add,
  type Code,
  doWhile,
  equal,
  increase,
  int,
  type Local,
  load16,
  load64Pair,
  load128,
  moreThanSigned,
  mul,
  or128,
  seq,
  set,
  shiftLeft64x2,
  shiftRight64x2,
  splat64,
  store64Lane,
  store128,
  sub,
  twice64,
  when,
  xor128,
} from '@memrelay/wasm/instructions';
import { defineFunction, type Scope } from '@memrelay/wasm/module';
import {
  initialState,
  initialVector,
  lanes,
  messageWord,
  pairs,
  prepareRounds,
  putMessageWord,
  rounds,
  scratchEnd,
  takeStates,
} from './blake2b-code.ts';

export const digestBytes = 32;
/** Size of the eight words of an unfinished hash, in bytes. The first four words become the digest. */
export const stateBytes = 64;
export const blockBytes = 128;

/** Address of 32 zeros: the node that completes a level with an odd number of nodes. */
export const emptyNodeAt = scratchEnd;
/** The first address that callers may use. */
export const heapStart = emptyNodeAt + digestBytes;

const nodeBytes = 1n + 2n * BigInt(digestBytes);
const nodeWords = 9;
const allOnes = 0xffff_ffff_ffff_ffffn;

/** The items that a function iterates over, `stride` bytes apart. */
interface Walk {
  pointer: Local;
  stride: Code;
}

/** Four items per round. If fewer are left, the last one is used repeatedly, with the same result. */
function inFours(
  scope: Scope,
  count: Local,
  walks: readonly Walk[],
  body: (...items: Local[][]) => Code,
): Code {
  const items = walks.map(({ pointer }) => [
    pointer,
    ...Array.from({ length: lanes - 1 }, () => scope.int()),
  ]);
  const perItem = (lane: number, code: (item: Local, before: Local, stride: Code) => Code): Code =>
    seq(...walks.map(({ stride }, i) => code(items[i]![lane]!, items[i]![lane - 1]!, stride)));
  const place = Array.from({ length: lanes - 1 }, (_, i) => i + 1).map((lane) =>
    when(
      moreThanSigned(count, int(lane)),
      perItem(lane, (item, before, stride) => set(item, add(before, stride))),
      perItem(lane, (item, before) => set(item, before)),
    ),
  );
  return doWhile(
    seq(
      ...place,
      body(...items),
      ...walks.map(({ pointer, stride }, i) => set(pointer, add(items[i]![lanes - 1]!, stride))),
      set(count, sub(count, int(lanes))),
    ),
    moreThanSigned(count, int(0)),
  );
}

/** Generates the code for each pair of items. `words` reads the words at an offset in both. */
const eachPair = (items: readonly Local[], code: (pair: number, words: Words) => Code): Code =>
  seq(
    ...Array.from({ length: pairs }, (_, pair) => {
      const [first, second] = [items[2 * pair]!, items[2 * pair + 1]!];
      return code(pair, {
        at: (offset) => load64Pair(first, second, offset),
        put: (value, offset) =>
          seq(store64Lane(first, value, 0, offset), store64Lane(second, value, 1, offset)),
      });
    }),
  );

interface Words {
  at(offset: number): Code;
  put(value: Code, offset: number): Code;
}

/**
 * `hashPairs(left, leftStride, right, rightStride, out, count)`: inner nodes of a Merkle tree, each the BLAKE2b-256
 * of 0x01, a left and a right digest. Strides are in bytes; the results lie one after the other and may replace
 * the left digests. `count` is at least 1.
 */
export const hashPairs = defineFunction(
  'hashPairs',
  6,
  (scope, left, leftStride, right, rightStride, out, count) => {
    const states = takeStates(scope);
    const start = [...initialState, ...initialVector];
    start[12]! ^= nodeBytes;
    start[14]! ^= allOnes;
    // The message is the two digests moved up by the one byte of the prefix
    const putMessage = (lefts: Local[], rights: Local[]): Code =>
      seq(
        eachPair(lefts, (pair, { at }) =>
          seq(
            putMessageWord(pair, 0, or128(shiftLeft64x2(at(0), 8), twice64(1n))),
            ...[1, 2, 3].map((word) => putMessageWord(pair, word, at(8 * word - 1))),
            putMessageWord(pair, 4, shiftRight64x2(at(24), 56)),
          ),
        ),
        eachPair(rights, (pair, { at }) =>
          seq(
            putMessageWord(pair, 4, or128(messageWord(pair, 4), shiftLeft64x2(at(0), 8))),
            ...[1, 2, 3].map((word) => putMessageWord(pair, 4 + word, at(8 * word - 1))),
            putMessageWord(pair, 8, shiftRight64x2(at(24), 56)),
          ),
        ),
      );
    const walks = [
      { pointer: left!, stride: leftStride! },
      { pointer: right!, stride: rightStride! },
      { pointer: out!, stride: int(digestBytes) },
    ];
    return seq(
      prepareRounds,
      inFours(scope, count!, walks, (lefts, rights, outs) =>
        seq(
          putMessage(lefts!, rights!),
          ...states.flatMap((state) => state.map((word, i) => set(word, twice64(start[i]!)))),
          rounds(states, nodeWords),
          eachPair(outs!, (pair, { put }) =>
            seq(
              ...initialState.slice(0, digestBytes / 8).flatMap((word, i) => {
                const [low, high] = [states[pair]![i]!, states[pair]![i + 8]!];
                return [set(low, xor128(xor128(low, high), twice64(word))), put(low, 8 * i)];
              }),
            ),
          ),
        ),
      ),
    );
  },
);

/**
 * `absorb(messages, stride, states, count, blocks, before, total)`: feeds `blocks` blocks of each message to its
 * state. `before` is the number of bytes that were already fed. For the last blocks, `total` is the length of the
 * whole message in bytes, and the message must be padded with zeros; otherwise it is 0. `count` and `blocks` are at
 * least 1.
 */
export const absorb = defineFunction(
  'absorb',
  7,
  (scope, messages, stride, statesAt, count, blocks, before, total) => {
    const states = takeStates(scope);
    const offset = scope.int();
    const left = scope.int();
    const counter = scope.int();
    const last = scope.vector();
    const block = Array.from({ length: lanes }, () => scope.int());
    const stateWords = initialState.map((_, i) => i);
    const compress = (ofMessages: Local[], hashes: Local[]): Code =>
      seq(
        ...block.map((at, lane) => set(at, add(ofMessages[lane]!, offset))),
        eachPair(block, (pair, { at }) =>
          seq(...Array.from({ length: 16 }, (_, i) => putMessageWord(pair, i, at(8 * i)))),
        ),
        eachPair(hashes, (pair, { at }) =>
          seq(
            ...stateWords.map((i) => set(states[pair]![i]!, at(8 * i))),
            ...initialVector.map((word, i) => set(states[pair]![i + 8]!, twice64(word))),
            set(states[pair]![12]!, xor128(states[pair]![12]!, splat64(counter))),
            set(states[pair]![14]!, xor128(states[pair]![14]!, last)),
          ),
        ),
        rounds(states, 16),
        // All are computed before any is written, because lanes may contain the same item
        eachPair(hashes, (pair, { at }) =>
          seq(
            ...stateWords.map((i) =>
              set(states[pair]![i]!, xor128(xor128(states[pair]![i]!, states[pair]![i + 8]!), at(8 * i))),
            ),
          ),
        ),
        eachPair(hashes, (pair, { put }) => seq(...stateWords.map((i) => put(states[pair]![i]!, 8 * i)))),
      );
    const walks = [
      { pointer: messages!, stride: stride! },
      { pointer: statesAt!, stride: int(stateBytes) },
    ];
    return seq(
      prepareRounds,
      inFours(scope, count!, walks, (ofMessages, hashes) =>
        seq(
          set(offset, int(0)),
          set(left, blocks!),
          set(counter, before!),
          set(last, twice64(0n)),
          doWhile(
            seq(
              set(counter, add(counter, int(blockBytes))),
              when(equal(left, int(1)), when(total!, seq(set(counter, total!), set(last, twice64(allOnes))))),
              compress(ofMessages!, hashes!),
              increase(offset, int(blockBytes)),
              set(left, sub(left, int(1))),
            ),
            left,
          ),
        ),
      ),
    );
  },
);

/** `gatherDigests(symbols, table, out, count)`: looks up the digest of each two-byte symbol in a table of all. */
export const gatherDigests = defineFunction('gatherDigests', 4, (scope, symbols, table, out, count) => {
  const entry = scope.int();
  return doWhile(
    seq(
      set(entry, add(table!, mul(load16(symbols!), int(digestBytes)))),
      store128(out!, load128(entry)),
      store128(out!, load128(entry, 16), 16),
      increase(symbols!, int(2)),
      increase(out!, int(digestBytes)),
      set(count!, sub(count!, int(1))),
    ),
    count!,
  );
});
