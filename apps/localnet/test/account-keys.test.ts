import { smallOrderEd25519, smallOrderX25519, withTopBit } from '@memrelay/contracts/scenarios/bad-points';
import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { expect, test } from 'vitest';
import { isSmallOrderEd25519, isSmallOrderX25519 } from '../src/move/account-keys.ts';

const p = 2n ** 255n - 19n;
const order8 = ed25519.Point.fromHex(smallOrderEd25519.at(-1)!);
const torsion = Array.from({ length: 8 }, (_, n) =>
  n === 0 ? ed25519.Point.ZERO : order8.multiplyUnsafe(BigInt(n)),
);

test('lists exactly the encodings of the eight points of small order', () => {
  expect(order8.isSmallOrder()).toBe(true);
  const canonical = new Set(torsion.map((point) => point.toAffine().y));
  const encodings = [...canonical].flatMap((y) => [y, y + p]).filter((y) => y < 2n ** 255n);
  expect(new Set(encodings.map(littleEndian))).toEqual(new Set(smallOrderEd25519));
  for (const key of smallOrderEd25519.flatMap((hex) => [hex, withTopBit(hex)])) {
    expect(isSmallOrderEd25519(Buffer.from(key, 'hex'))).toBe(true);
  }
});

test('every listed X25519 key gives an all-zero shared secret', () => {
  const secret = x25519.utils.randomSecretKey();
  for (const key of smallOrderX25519.flatMap((hex) => [hex, withTopBit(hex)])) {
    expect(isSmallOrderX25519(Buffer.from(key, 'hex'))).toBe(true);
    expect(() => x25519.getSharedSecret(secret, Buffer.from(key, 'hex'))).toThrow();
  }
});

test('ordinary keys are accepted', () => {
  expect(isSmallOrderEd25519(ed25519.keygen().publicKey)).toBe(false);
  expect(isSmallOrderX25519(x25519.keygen().publicKey)).toBe(false);
});

function littleEndian(value: bigint): string {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse().toString('hex');
}
