import { createDecipheriv, createHash, timingSafeEqual as equal } from 'node:crypto';
import { fromHex } from '@memrelay/protocol/bytes';
import { EncryptedObject } from '@mysten/seal';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import { combineShares } from './combine-shares.ts';

/**
 * Opens Seal objects with unverified user keys. Seal's client verifies each user key with two pairings,
 * which takes most of the time of a first recall; here a wrong user key only leads to an object that cannot be opened.
 * The construction is that of @mysten/seal 1.4.12 (Boneh-Franklin IBE over BLS12-381, shares, AES-256-GCM).
 */

const { G1, G2, fields, millerLoopBatch, utils } = bls12_381;
export type UserKey = InstanceType<typeof G1.Point>;

const identityDomain = Buffer.from('SUI-SEAL-IBE-BLS12381-00');
const shareKeyDomain = Buffer.from('SUI-SEAL-IBE-BLS12381-H2-00');
const derivedKeyDomain = Buffer.from('SUI-SEAL-IBE-BLS12381-H3-00');
const derived = { randomness: 0, content: 1 } as const;
/** Every object has a key of its own, so Seal uses the same nonce for all. */
const contentNonce = Buffer.from('8a3799fdc62e79dba0805907d69c94dc', 'hex');
const tagLength = 16;
const addressLength = 32;
/** Order of the six coefficients of a pairing's result in Seal's encoding */
const coefficientOrder = [0, 3, 1, 4, 2, 5];
const coefficientLength = 96;

/** An object with everything that can be computed before the user keys are known: about 18 ms. */
export interface PreparedObject {
  /** Package and id, hex without prefix: what user keys are derived for */
  fullId: string;
  /** Object ids of the key servers, one per share */
  services: readonly string[];
  open(userKeys: ReadonlyMap<string, UserKey>): Uint8Array;
}

/** Throws if the object is malformed, or encrypted in a mode that only Seal's client opens. */
export function prepareSealObject(bytes: Uint8Array): PreparedObject {
  const { packageId, id, services, threshold, encryptedShares, ciphertext } = EncryptedObject.parse(bytes);
  const { nonce, encryptedShares: shares, encryptedRandomness } = encryptedShares.BonehFranklinBLS12381;
  if (!ciphertext.Aes256Gcm) throw new RangeError('not encrypted with AES-256-GCM');
  if (shares.length !== services.length) throw new RangeError('shares and services differ in number');
  const { blob, aad } = ciphertext.Aes256Gcm;
  const fullId = packageId.slice(2) + id;
  const noncePoint = G2.Point.fromBytes(nonce);
  if (noncePoint.is0()) throw new RangeError('the nonce is zero');
  const nonceLines = utils.calcPairingPrecomputes(noncePoint);
  const identity = G1.hashToCurve(Buffer.concat([identityDomain, fromHex(fullId)])).toBytes();
  const addresses = services.map(([objectId]) => addressOf(objectId));

  /** The key that encrypts a server's shares, without the share's index */
  function shareKeyOf(userKey: UserKey, address: Uint8Array) {
    const { x, y } = userKey.toAffine();
    const paired = fields.Fp12.finalExponentiate(millerLoopBatch([[nonceLines, x, y]]));
    return createHash('sha3-256')
      .update(shareKeyDomain)
      .update(encodePairing(fields.Fp12.toBytes(paired)))
      .update(nonce)
      .update(identity)
      .update(address);
  }
  function derivedKey(purpose: keyof typeof derived, baseKey: Uint8Array): Buffer {
    const hash = createHash('sha3-256').update(derivedKeyDomain).update(baseKey);
    hash.update(Uint8Array.of(derived[purpose], threshold));
    for (const share of shares) hash.update(share);
    for (const address of addresses) hash.update(address);
    return hash.digest();
  }
  return {
    fullId,
    services: services.map(([objectId]) => objectId),
    open(userKeys) {
      const shareKeys = new Map<string, ReturnType<typeof shareKeyOf>>();
      const found = services.flatMap(([objectId, index], i) => {
        const userKey = userKeys.get(objectId);
        if (!userKey || userKey.is0()) return [];
        // A server of weight w has w shares, which differ only in the index
        const shareKey = shareKeys.get(objectId) ?? shareKeyOf(userKey, addresses[i]!);
        shareKeys.set(objectId, shareKey);
        return [{ index, bytes: xor(shares[i]!, shareKey.copy().update(Uint8Array.of(index)).digest()) }];
      });
      if (found.length < threshold) throw new RangeError('too few shares');
      const baseKey = combineShares(found);
      const randomness = xor(encryptedRandomness, derivedKey('randomness', baseKey));
      const scalar = bytesToNumberBE(randomness);
      if (!fields.Fr.isValidNot0(scalar) || !equal(G2.Point.BASE.multiply(scalar).toBytes(), nonce))
        throw new RangeError('the nonce was not made with the randomness');
      return decrypt(derivedKey('content', baseKey), blob, aad ?? new Uint8Array());
    },
  };
}

function decrypt(key: Uint8Array, blob: Uint8Array, aad: Uint8Array): Uint8Array {
  if (blob.length < tagLength) throw new RangeError('the ciphertext is too short');
  const decipher = createDecipheriv('aes-256-gcm', key, contentNonce);
  decipher.setAAD(aad);
  decipher.setAuthTag(blob.subarray(-tagLength));
  const opened = decipher.update(blob.subarray(0, -tagLength));
  decipher.final();
  return new Uint8Array(opened);
}

function encodePairing(bytes: Uint8Array): Buffer {
  const part = (at: number) => bytes.subarray(at * coefficientLength, (at + 1) * coefficientLength);
  return Buffer.concat(coefficientOrder.map(part));
}

function addressOf(objectId: string): Uint8Array {
  const address = fromHex(objectId);
  if (address.length !== addressLength) throw new RangeError(`${objectId} is not an object id`);
  return address;
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length !== b.length) throw new RangeError('lengths differ');
  return a.map((byte, i) => byte ^ b[i]!);
}
