import {
  add,
  add16x8,
  addFloat32x4,
  addPairs8x16,
  addPairs16x8,
  and128,
  type Code,
  countOnes8x16,
  doWhile,
  extendHigh16x8,
  extendLow16x8,
  fourTimes32,
  increase,
  int,
  lane32,
  lessThan,
  load128,
  mulFloat32x4,
  or128,
  seq,
  set,
  shiftLeft32x4,
  store16,
  store128,
  xor128,
} from '@memrelay/wasm/instructions';
import { defineFunction } from '@memrelay/wasm/module';

/** WebAssembly that compares vectors: ten times as fast as JavaScript (measured). */

const zero = fourTimes32(0);
const vectorBytes = 16;

/**
 * Counts the bits in which each of `vectors` codes, `bytes` bytes each (a multiple of 16), differs from the code at
 * `wanted`: 16 bits per code, at `out`.
 */
export const countDifferences = defineFunction(
  'countDifferences',
  5,
  (scope, codes, wanted, out, vectors, bytes) => {
    const [at, end] = [scope.int(), scope.int()];
    const sum = scope.vector();
    return doWhile(
      seq(
        set(sum, zero),
        set(at, wanted),
        set(end, add(wanted, bytes)),
        doWhile(
          seq(
            set(sum, add16x8(sum, addPairs8x16(countOnes8x16(xor128(load128(codes), load128(at)))))),
            increase(codes, int(vectorBytes)),
            increase(at, int(vectorBytes)),
          ),
          lessThan(at, end),
        ),
        set(sum, addPairs16x8(sum)),
        store16(out, add(add(lane32(sum, 0), lane32(sum, 1)), add(lane32(sum, 2), lane32(sum, 3)))),
        increase(out, int(2)),
        increase(vectors, int(-1)),
      ),
      vectors,
    );
  },
);

/** Sign bit of a 32-bit float, and what a 16-bit float leaves of the others when it is moved to their place. */
const signBit = fourTimes32(0x8000_0000);
const otherBits = fourTimes32(0x7fff << 13);

/**
 * A 16-bit float, extended with its sign, as the 32-bit float that is 2^112 times smaller: its exponent has another bias.
 * The other factor makes up for it.
 */
const smallFloats = (half: Code): Code =>
  or128(and128(shiftLeft32x4(half, 13), otherBits), and128(half, signBit));

/**
 * The inner products of `vectors` vectors of 16-bit floats, `bytes` bytes each (a multiple of 16), with the vector at `to`:
 * 32-bit floats, 2^112 times too large. Four partial sums per vector, at `out`.
 */
export const innerProducts = defineFunction('innerProducts', 5, (scope, halves, to, out, vectors, bytes) => {
  const [at, end] = [scope.int(), scope.int()];
  const [low, high, eight] = [scope.vector(), scope.vector(), scope.vector()];
  return doWhile(
    seq(
      set(low, zero),
      set(high, zero),
      set(at, to),
      set(end, add(halves, bytes)),
      doWhile(
        seq(
          set(eight, load128(halves)),
          set(low, addFloat32x4(low, mulFloat32x4(smallFloats(extendLow16x8(eight)), load128(at)))),
          set(
            high,
            addFloat32x4(high, mulFloat32x4(smallFloats(extendHigh16x8(eight)), load128(at, vectorBytes))),
          ),
          increase(halves, int(vectorBytes)),
          increase(at, int(2 * vectorBytes)),
        ),
        lessThan(halves, end),
      ),
      store128(out, addFloat32x4(low, high)),
      increase(out, int(vectorBytes)),
      increase(vectors, int(-1)),
    ),
    vectors,
  );
});
