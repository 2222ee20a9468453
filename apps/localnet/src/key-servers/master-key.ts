import { publicKeyG2 } from '@memrelay/chain/bls-keys';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha3_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

const { Fr } = bls12_381.fields;
const popDomain = utf8ToBytes('SUI-SEAL-IBE-BLS12381-POP-00');

/**
 * The master key number `index` of a seed, as Seal's own server derives it: HKDF-SHA3-256 without salt, the
 * index as 8 big-endian bytes for info, 64 bytes reduced modulo the group order.
 */
export function deriveMasterKey(seed: Uint8Array, index: number): bigint {
  if (seed.length !== 32) throw new RangeError('the key server seed must be 32 bytes');
  const wide = hkdf(sha3_256, seed, undefined, numberToBytesBE(index, 8), 64);
  return Fr.create(bytesToNumberBE(wide));
}

/** The public half of a master key: a compressed G2 point, 96 bytes. */
export function masterPublicKey(masterKey: bigint): Uint8Array {
  return publicKeyG2(Fr.toBytes(masterKey));
}

/**
 * Proves that the registrant of `objectId` (32 bytes) holds the master key: a BLS signature over
 * domain ‖ public key ‖ object id, a compressed G1 point of 48 bytes.
 */
export function proofOfPossession(masterKey: bigint, objectId: Uint8Array): Uint8Array {
  const { shortSignatures } = bls12_381;
  const message = concatBytes(popDomain, masterPublicKey(masterKey), objectId);
  return shortSignatures.sign(shortSignatures.hash(message), Fr.toBytes(masterKey)).toBytes();
}
