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
} from '../wasm/instructions.ts';
import { defineFunction, type Scope } from '../wasm/module.ts';
import {
  initialState,
  initialVector,
  prepareRounds,
  putMessageWord,
  rounds,
  scratchEnd,
} from './blake2b-code.ts';

export const digestBytes = 32;
/** The eight words of an unfinished hash; the first four are the digest in the end. */
export const stateBytes = 64;
export const blockBytes = 128;

/** Address of 32 zeros: the node that fills up a level with an odd number of nodes. */
export const emptyNodeAt = scratchEnd;
/** The first address that callers may use. */
export const heapStart = emptyNodeAt + digestBytes;

const nodeBytes = 1n + 2n * BigInt(digestBytes);
const nodeWords = 9;
const allOnes = 0xffff_ffff_ffff_ffffn;

const takeState = (scope: Scope): Local[] => Array.from({ length: 16 }, () => scope.vector());

/** Two items a round; the last of an odd number is worked on twice, in both halves of the vectors. */
function inPairs(
  scope: Scope,
  count: Local,
  pointers: readonly { pointer: Local; stride: Code }[],
  body: (seconds: Local[]) => Code,
): Code {
  const seconds = pointers.map(() => scope.int());
  return doWhile(
    seq(
      ...pointers.map(({ pointer, stride }, i) => set(seconds[i]!, add(pointer, stride))),
      when(equal(count, int(1)), seq(...pointers.map(({ pointer }, i) => set(seconds[i]!, pointer)))),
      body(seconds),
      ...pointers.map(({ pointer, stride }, i) => set(pointer, add(seconds[i]!, stride))),
      set(count, sub(count, int(2))),
    ),
    moreThanSigned(count, int(0)),
  );
}

/**
 * `hashPairs(left, leftStride, right, rightStride, out, count)`: inner nodes of a Merkle tree, each the BLAKE2b-256
 * of 0x01, a left and a right digest. Strides are in bytes; the results lie one after the other and may replace
 * the left digests.
 */
export const hashPairs = defineFunction(
  'hashPairs',
  6,
  (scope, left, leftStride, right, rightStride, out, count) => {
    const state = takeState(scope);
    const start = [...initialState, ...initialVector];
    start[12]! ^= nodeBytes;
    start[14]! ^= allOnes;
    return seq(
      prepareRounds,
      inPairs(
        scope,
        count!,
        [
          { pointer: left!, stride: leftStride! },
          { pointer: right!, stride: rightStride! },
          { pointer: out!, stride: int(digestBytes) },
        ],
        ([left2, right2, out2]) => {
          const ofLeft = (offset: number) => load64Pair(left!, left2!, offset);
          const ofRight = (offset: number) => load64Pair(right!, right2!, offset);
          // The message is the two digests moved up by the one byte of the prefix
          const message = [
            or128(shiftLeft64x2(ofLeft(0), 8), twice64(1n)),
            ...[7, 15, 23].map(ofLeft),
            or128(shiftRight64x2(ofLeft(24), 56), shiftLeft64x2(ofRight(0), 8)),
            ...[7, 15, 23].map(ofRight),
            shiftRight64x2(ofRight(24), 56),
          ];
          return seq(
            ...message.map((pair, index) => putMessageWord(index, pair)),
            ...state.map((word, i) => set(word, twice64(start[i]!))),
            rounds(state, nodeWords),
            ...initialState.slice(0, 4).flatMap((word, i) => {
              const result = set(state[i]!, xor128(xor128(state[i]!, state[i + 8]!), twice64(word)));
              return [
                result,
                store64Lane(out!, state[i]!, 0, 8 * i),
                store64Lane(out2!, state[i]!, 1, 8 * i),
              ];
            }),
          );
        },
      ),
    );
  },
);

/**
 * `absorb(messages, stride, states, count, blocks, before, total)`: feeds `blocks` blocks of each message to its
 * state. `before` bytes were fed already. Where these are the last blocks, `total` is the length of the whole
 * message in bytes, and the message is filled up with zeros; else it is 0.
 */
export const absorb = defineFunction(
  'absorb',
  7,
  (scope, messages, stride, states, count, blocks, before, total) => {
    const state = takeState(scope);
    const message = scope.int();
    const message2 = scope.int();
    const left = scope.int();
    const counter = scope.int();
    const last = scope.vector();
    return seq(
      prepareRounds,
      inPairs(
        scope,
        count!,
        [
          { pointer: messages!, stride: stride! },
          { pointer: states!, stride: int(stateBytes) },
        ],
        ([messages2, states2]) => {
          const hash = (i: number) => load64Pair(states!, states2!, 8 * i);
          return seq(
            set(message, messages!),
            set(message2, messages2!),
            set(left, blocks!),
            set(counter, before!),
            set(last, twice64(0n)),
            doWhile(
              seq(
                set(counter, add(counter, int(blockBytes))),
                when(
                  equal(left, int(1)),
                  when(total!, seq(set(counter, total!), set(last, twice64(allOnes)))),
                ),
                ...Array.from({ length: 16 }, (_, i) =>
                  putMessageWord(i, load64Pair(message, message2, 8 * i)),
                ),
                ...Array.from({ length: 8 }, (_, i) => set(state[i]!, hash(i))),
                ...initialVector.map((word, i) => set(state[i + 8]!, twice64(word))),
                set(state[12]!, xor128(state[12]!, splat64(counter))),
                set(state[14]!, xor128(state[14]!, last)),
                rounds(state, 16),
                ...Array.from({ length: 8 }, (_, i) =>
                  seq(
                    set(state[i]!, xor128(xor128(state[i]!, state[i + 8]!), hash(i))),
                    store64Lane(states!, state[i]!, 0, 8 * i),
                    store64Lane(states2!, state[i]!, 1, 8 * i),
                  ),
                ),
                increase(message, int(blockBytes)),
                increase(message2, int(blockBytes)),
                set(left, sub(left, int(1))),
              ),
              left,
            ),
          );
        },
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
