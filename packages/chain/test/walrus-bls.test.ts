import { bls12_381 } from '@noble/curves/bls12-381.js';
import { expect, test } from 'vitest';
import { createBlsVerifier, signBls } from '../src/walrus-bls.ts';

/** Another implementation of the same suite, for comparison. */
const reference = bls12_381.longSignatures;
const secretKey = new Uint8Array(32).fill(7);
const verify = createBlsVerifier(reference.getPublicKey(secretKey).toBytes(true));

function signed(text: string) {
  const message = Buffer.from(text);
  return { message, signature: signBls(secretKey, message) };
}

test.each([0, 1, 31, 76, 300])('signs %i bytes like the reference implementation', (length) => {
  const message = new Uint8Array(length).map((_, index) => index * 7);
  const expected = reference.sign(reference.hash(message), secretKey).toBytes(true);
  expect(Buffer.from(signBls(secretKey, message))).toEqual(Buffer.from(expected));
});

test('accepts one or many signatures of the key', () => {
  const many = ['a', 'b', 'c', 'd', 'e'].map(signed);
  expect(verify(many.slice(0, 1))).toBe(true);
  expect(verify(many)).toBe(true);
  expect(verify([...many, ...many])).toBe(true);
});

test('rejects the batch if any signature is wrong, at any position', () => {
  const many = ['a', 'b', 'c'].map(signed);
  for (const wrong of many.keys()) {
    const set = many.map((item, index) => (index === wrong ? { ...item, message: Buffer.from('x') } : item));
    expect(verify(set)).toBe(false);
    expect(verify(set.slice(wrong, wrong + 1))).toBe(false);
  }
});

test('rejects invalid signatures whose sum would be valid', () => {
  const [a, b] = [signed('a'), signed('b')];
  const swapped = [
    { ...a, signature: b.signature },
    { ...b, signature: a.signature },
  ];
  expect(verify(swapped)).toBe(false);
});

test('rejects another key, other bytes, points off the curve and outside the subgroup', () => {
  const { message, signature } = signed('a');
  const other = reference.getPublicKey(new Uint8Array(32).fill(8)).toBytes(true);
  expect(createBlsVerifier(other)([{ message, signature }])).toBe(false);
  expect(verify([])).toBe(false);
  for (const bytes of [new Uint8Array(96), signature.slice(1), outsideSubgroup(), infinity(96)]) {
    expect(verify([{ message, signature: bytes }])).toBe(false);
  }
  expect(() => createBlsVerifier(infinity(48))).toThrow();
  expect(() => createBlsVerifier(new Uint8Array(48))).toThrow();
});

test('rejects a signature with any bit changed', () => {
  const { message, signature } = signed('a');
  for (let byte = 0; byte < signature.length; byte += 5) {
    const changed = Uint8Array.from(signature);
    changed[byte] = (changed[byte] ?? 0) ^ 1;
    expect(verify([{ message, signature: changed }])).toBe(false);
  }
});

function infinity(bytes: number): Uint8Array {
  return new Uint8Array(bytes).fill(0xc0, 0, 1);
}

/** A point on the curve, but outside the subgroup of signatures. */
function outsideSubgroup(): Uint8Array {
  const { Point } = bls12_381.G2;
  for (let x = 1; ; x += 1) {
    const bytes = new Uint8Array(96);
    bytes[0] = 0x80;
    bytes[95] = x;
    try {
      const point = Point.fromBytes(bytes);
      point.assertValidity();
      if (!point.isTorsionFree()) return bytes;
    } catch (error) {
      if (/subgroup|torsion/i.test((error as Error).message)) return bytes;
    }
  }
}
