import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

const { Point } = bls12_381.G1;
const identityDomain = utf8ToBytes('SUI-SEAL-IBE-BLS12381-00');

/** The point an identity hashes to. `fullId` is the original package id (32 bytes) followed by the inner id. */
export function identityPoint(fullId: Uint8Array): InstanceType<typeof Point> {
  return Point.fromAffine(bls12_381.G1.hashToCurve(concatBytes(identityDomain, fullId)).toAffine());
}

/**
 * The identity's decryption key under `masterKey`, ElGamal-encrypted to the requester's `encKey`, so that no
 * intermediary, such as another key server, can read it. Two compressed G1 points. Takes about 9 ms.
 */
export function sealUserKey(
  masterKey: bigint,
  fullId: Uint8Array,
  encKey: InstanceType<typeof Point>,
): [Uint8Array, Uint8Array] {
  const userKey = identityPoint(fullId).multiply(masterKey);
  const r = bytesToNumberBE(bls12_381.utils.randomSecretKey());
  return [Point.BASE.multiply(r).toBytes(), encKey.multiply(r).add(userKey).toBytes()];
}
