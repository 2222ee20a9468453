import { bls12_381 } from '@noble/curves/bls12-381.js';
import { expect, test } from 'vitest';
import { addScalars, publicKeyG1, publicKeyG2, scalarOf } from '../src/bls-keys.ts';

const { G1, G2 } = bls12_381;
const { Fr } = bls12_381.fields;

test('keys and scalars match those of another implementation', () => {
  for (const fill of [1, 7, 128, 255]) {
    const wide = new Uint8Array(48).fill(fill);
    const expected = Fr.create(BigInt(`0x${Buffer.from(wide).toString('hex')}`));
    const secretKey = scalarOf(wide);
    expect(secretKey).toEqual(Fr.toBytes(expected));
    expect(addScalars(secretKey, secretKey)).toEqual(Fr.toBytes(Fr.add(expected, expected)));
    const point = G1.Point.BASE.multiply(expected);
    expect(publicKeyG1(secretKey)).toEqual({
      compressed: point.toBytes(true),
      uncompressed: point.toBytes(false),
    });
    expect(publicKeyG2(secretKey)).toEqual(G2.Point.BASE.multiply(expected).toBytes(true));
  }
});
