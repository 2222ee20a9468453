import { expand_message_xmd } from '@noble/curves/abstract/hash-to-curve.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { add, Fp, Fp2, Fr, finalExp, G1, G2, millerLoop, mul, mulVec, neg } from 'mcl-wasm';
import { generatorG1 } from './bls-keys.ts';

/**
 * Signatures of Walrus' storage nodes: BLS12-381 with public keys in G1 and signatures in G2, suite
 * `BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_`. Not constant-time (bls-keys.ts), so do not use it with valuable keys.
 */
const suite = new TextEncoder().encode('BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_');
/** Bytes for one field element, RFC 9380 section 8.8.2 */
const elementBytes = 64;
const negatedBase = neg(generatorG1);

function fieldElement(bytes: Uint8Array): Fp {
  const element = new Fp();
  element.setBigEndianMod(bytes);
  return element;
}

/** Maps two coordinates to a point of the subgroup. The hash is the sum of two such points. */
function mapToCurve(bytes: Uint8Array): G2 {
  const point = new Fp2();
  point.set_a(fieldElement(bytes.subarray(0, elementBytes)));
  point.set_b(fieldElement(bytes.subarray(elementBytes)));
  return point.mapToG2();
}

/** `hash_to_curve` of RFC 9380, composed of the library's functions, because the library implements it only for another suite. */
function hashToCurve(message: Uint8Array): G2 {
  const uniform = expand_message_xmd(message, suite, 4 * elementBytes, sha256);
  return add(
    mapToCurve(uniform.subarray(0, 2 * elementBytes)),
    mapToCurve(uniform.subarray(2 * elementBytes)),
  );
}

/** Throws for bytes that are not a point of the subgroup, and for the point at infinity. */
function readPoint<Point extends G1 | G2>(point: Point, bytes: Uint8Array): Point {
  point.deserialize(bytes);
  if (point.isZero()) throw new Error('the point at infinity');
  return point;
}

/** Signs with a secret key of 32 bytes, big-endian and below the curve's order. Compressed G2, 96 bytes. */
export function signBls(secretKey: Uint8Array, message: Uint8Array): Uint8Array {
  const scalar = new Fr();
  scalar.setBigEndianMod(secretKey);
  return mul(hashToCurve(message), scalar).serialize();
}

export interface SignedMessage {
  message: Uint8Array;
  signature: Uint8Array;
}

/** Bytes of a random weight: a wrong set passes with a probability of 2^-128. */
const weightBytes = 16;

function randomWeight(): Fr {
  const weight = new Fr();
  weight.setLittleEndian(crypto.getRandomValues(new Uint8Array(weightBytes)));
  return weight;
}

/** Sum of the points with random weights, so that errors in two points cannot cancel out. A single point needs no weight. */
function weightedSum(points: G2[], weights: Fr[]): G2 {
  const [only, ...others] = points;
  return only !== undefined && others.length === 0 ? only : mulVec(points, weights);
}

/**
 * Whether all signatures are valid for one key, compressed G1. They are checked together, as a sum with random
 * weights, with only two pairings. False for bytes that are not a point, and for no signatures at all. Throws for a
 * key that is not a point.
 */
export function createBlsVerifier(publicKey: Uint8Array): (signed: readonly SignedMessage[]) => boolean {
  const key = readPoint(new G1(), publicKey);
  return (signed) => {
    if (signed.length === 0) return false;
    let signatures: G2[];
    try {
      signatures = signed.map(({ signature }) => readPoint(new G2(), signature));
    } catch {
      return false;
    }
    const hashes = signed.map(({ message }) => hashToCurve(message));
    const weights = signed.map(randomWeight);
    const paired = mul(
      millerLoop(key, weightedSum(hashes, weights)),
      millerLoop(negatedBase, weightedSum(signatures, weights)),
    );
    return finalExp(paired).isOne();
  };
}
