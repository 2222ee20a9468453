import { toHex } from '@memrelay/protocol/bytes';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { LRUCache } from 'lru-cache';

const { Point } = bls12_381.G1;
const identityDomain = utf8ToBytes('SUI-SEAL-IBE-BLS12381-00');

type G1Point = InstanceType<typeof Point>;

/** Each identity is asked for at every key server, and in every session again. */
const knownPoints = new LRUCache<string, G1Point>({ max: 1_000 });

/** The point an identity hashes to. `fullId` is the original package id (32 bytes) followed by the inner id. */
export function identityPoint(fullId: Uint8Array): G1Point {
  const name = toHex(fullId);
  const known = knownPoints.get(name);
  if (known) return known;
  const hashed = bls12_381.G1.hashToCurve(concatBytes(identityDomain, fullId));
  const point = Point.fromAffine(hashed.toAffine());
  knownPoints.set(name, point);
  return point;
}

/**
 * The identity's decryption key under `masterKey`, ElGamal-encrypted to the requester's `encKey`, so that no
 * intermediary, such as another key server, can read it. Two compressed G1 points. Takes about 9 ms.
 */
export function sealUserKey(
  masterKey: bigint,
  fullId: Uint8Array,
  encKey: G1Point,
): [Uint8Array, Uint8Array] {
  const userKey = identityPoint(fullId).multiply(masterKey);
  const r = bytesToNumberBE(bls12_381.utils.randomSecretKey());
  return [Point.BASE.multiply(r).toBytes(), encKey.multiply(r).add(userKey).toBytes()];
}
