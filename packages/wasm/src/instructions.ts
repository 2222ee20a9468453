import { encodeUleb128 } from '@memrelay/protocol/uleb128';
import { hasRelaxedSimd } from './relaxed-simd.ts';

/**
 * The WebAssembly instructions that we use, as functions that return their bytes. An operand is code that
 * leaves its value on the stack, so nested calls read like expressions: `store128(out, xor128(load128(left),
 * load128(right)))`.
 *
 * Numbers are those of the WebAssembly core specification 2.0 and of the relaxed SIMD proposal (swizzle only).
 */

/** Bytes of a sequence of instructions. */
export type Code = readonly number[];

/** A local variable. As code it reads itself. */
export type Local = Code & { readonly index: number };

export type ValueType = 'i32' | 'v128';

export const valueTypes: Record<ValueType, number> = { i32: 0x7f, v128: 0x7b };

const blockWithoutResult = 0x40;
const simd = 0xfd;

function sleb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  while (rest < -64 || rest > 63) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>= 7;
  }
  bytes.push(rest & 0x7f);
  return bytes;
}

export const seq = (...parts: Code[]): Code => parts.flat();

export const local = (index: number): Local => Object.assign([0x20, ...encodeUleb128(index)], { index });
export const set = (target: Local, value: Code): Code => [...value, 0x21, ...encodeUleb128(target.index)];

export const int = (value: number): Code => [0x41, ...sleb(value)];

const binary =
  (...opcode: number[]) =>
  (left: Code, right: Code): Code => [...left, ...right, ...opcode];

export const add = binary(0x6a);
export const sub = binary(0x6b);
export const mul = binary(0x6c);
export const and = binary(0x71);
export const shl = binary(0x74);
export const shr = binary(0x76);
export const equal = binary(0x46);
export const lessThan = binary(0x49);
export const moreThanSigned = binary(0x4a);

/** Adds to a local in place. */
export const increase = (target: Local, by: Code): Code => set(target, add(target, by));

/** Every access is marked unaligned (0): the hint changes nothing on today's processors. */
const memory = (opcode: readonly number[], offset: number): number[] => [
  ...opcode,
  0x00,
  ...encodeUleb128(offset),
];

const load =
  (...opcode: number[]) =>
  (address: Code, offset = 0): Code => [...address, ...memory(opcode, offset)];
const store =
  (...opcode: number[]) =>
  (address: Code, value: Code, offset = 0): Code => [...address, ...value, ...memory(opcode, offset)];

export const load8 = load(0x2d);
export const store8 = store(0x3a);
export const load16 = load(0x2f);
export const store16 = store(0x3b);
export const load32 = load(0x28);
export const store32 = store(0x36);
export const load64 = load(0x29);
export const store64 = store(0x37);
export const load128 = load(simd, 0x00);
export const store128 = store(simd, 0x0b);

/** Runs `body` at least once, and repeats it while `condition` holds. */
export const doWhile = (body: Code, condition: Code): Code => [
  ...[0x03, blockWithoutResult],
  ...body,
  ...condition,
  ...[0x0d, 0x00],
  0x0b,
];

export const when = (condition: Code, then: Code, otherwise: Code = []): Code => [
  ...condition,
  ...[0x04, blockWithoutResult],
  ...then,
  ...(otherwise.length > 0 ? [0x05, ...otherwise] : []),
  0x0b,
];

const vector =
  (opcode: number) =>
  (left: Code, right: Code): Code => [...left, ...right, simd, ...encodeUleb128(opcode)];

export const xor128 = vector(0x51);
export const or128 = vector(0x50);
export const and128 = vector(0x4e);
export const add64x2 = vector(0xce);
/**
 * Picks bytes of `left` by the indices in `right`, which must be below 16 (otherwise the result depends on the
 * CPU). Without relaxed SIMD the plain instruction has the same result but takes one more instruction on x86.
 */
export const swizzle = vector(hasRelaxedSimd ? 0x100 : 0x0e);

export const add16x8 = vector(0x8e);
export const addFloat32x4 = vector(0xe4);
export const mulFloat32x4 = vector(0xe6);

const unaryVector =
  (opcode: number) =>
  (value: Code): Code => [...value, simd, ...encodeUleb128(opcode)];

/** The number of one bits in each byte. */
export const countOnes8x16 = unaryVector(0x62);
/** Sums of two adjacent lanes without sign, in lanes of twice the size. */
export const addPairs8x16 = unaryVector(0x7d);
export const addPairs16x8 = unaryVector(0x7f);
/** The lower and the upper four 16-bit lanes, extended with their sign. */
export const extendLow16x8 = unaryVector(0xa7);
export const extendHigh16x8 = unaryVector(0xa8);

/** One 32-bit lane as an integer. */
export const lane32 = (value: Code, lane: 0 | 1 | 2 | 3): Code => [...value, simd, 0x1b, lane];

const shift =
  (opcode: number) =>
  (value: Code, bits: number): Code => [...value, ...int(bits), simd, ...encodeUleb128(opcode)];

export const shiftLeft32x4 = shift(0xab);
export const shiftLeft64x2 = shift(0xcb);
export const shiftRight64x2 = shift(0xcd);

/** The 64 bits at `first` and those at `second` as one vector. */
export const load64Pair = (first: Code, second: Code, offset = 0): Code => [
  ...second,
  ...first,
  ...memory([simd, 0x5d], offset),
  ...memory([simd, 0x57], offset),
  1,
];

/** Writes the lower (0) or upper (1) 64 bits of a vector. */
export const store64Lane = (address: Code, value: Code, lane: 0 | 1, offset = 0): Code => [
  ...address,
  ...value,
  ...memory([simd, 0x5b], offset),
  lane,
];

/** A vector of 16 constant bytes. */
export const bytes128 = (bytes: readonly number[]): Code => [simd, 0x0c, ...bytes];

/** A vector with the same 64-bit constant twice. */
export function twice64(value: bigint): Code {
  const bytes = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
  return bytes128([...bytes, ...bytes]);
}

/** Takes bytes from `left` (0–15) and `right` (16–31) by constant indices. */
export const shuffle = (left: Code, right: Code, indices: readonly number[]): Code => [
  ...left,
  ...right,
  simd,
  0x0d,
  ...indices,
];

/** A vector with the same 32-bit constant four times. */
export function fourTimes32(value: number): Code {
  const bytes = Array.from({ length: 4 }, (_, i) => (value >>> (8 * i)) & 0xff);
  return bytes128([...bytes, ...bytes, ...bytes, ...bytes]);
}

/** A 32-bit integer, without sign, in both halves of a vector. */
export const splat64 = (value: Code): Code => [...value, 0xad, simd, 0x12];

/** Copies `bytes` bytes. The ranges may overlap. */
export const copyMemory = (to: Code, from: Code, bytes: Code): Code => [
  ...to,
  ...from,
  ...bytes,
  ...[0xfc, 0x0a, 0x00, 0x00],
];
