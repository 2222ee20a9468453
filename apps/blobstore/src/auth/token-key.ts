import { createPublicKey, type KeyObject } from 'node:crypto';

const hmacAlgorithms = ['HS256', 'HS384', 'HS512'] as const;
const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const;

/** The values of `--jwt-algorithm`, as in the real publisher. */
export const tokenAlgorithms = [...hmacAlgorithms, 'ES256', 'ES384', ...rsaAlgorithms, 'EdDSA'] as const;

export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

/**
 * The key and its algorithm. Tokens with any other algorithm are rejected, so that a token cannot choose how it is
 * verified.
 */
export interface TokenKey {
  algorithm: TokenAlgorithm;
  key: Uint8Array | KeyObject;
}

/**
 * The bytes of a secret: decoded hex digits after `0x`, otherwise the UTF-8 text. Throws if the digits are not hex
 * or their number is odd.
 */
function secretBytes(secret: string): Buffer {
  if (!secret.startsWith('0x')) return Buffer.from(secret);
  const digits = secret.slice(2);
  if (!/^(?:[0-9a-fA-F]{2})+$/.test(digits))
    throw new Error('a 0x secret must have an even number of hex digits');
  return Buffer.from(digits, 'hex');
}

/** Parses a public key as SPKI, or in the bare form that the real publisher expects. */
function derKey(bytes: Buffer, bare?: () => KeyObject): KeyObject {
  try {
    return createPublicKey({ key: bytes, format: 'der', type: 'spki' });
  } catch (error) {
    if (bare === undefined) throw error;
    return bare();
  }
}

function pointKey(point: Buffer, crv: 'P-256' | 'P-384'): KeyObject {
  const half = (point.byteLength - 1) / 2;
  if (point[0] !== 4) throw new Error('the point is not uncompressed');
  const [x, y] = [point.subarray(1, 1 + half), point.subarray(1 + half)].map((c) => c.toString('base64url'));
  return createPublicKey({ key: { kty: 'EC', crv, x: x!, y: y! }, format: 'jwk' });
}

function publicKey(algorithm: TokenAlgorithm, bytes: Buffer): KeyObject {
  switch (algorithm) {
    case 'ES256':
      return derKey(bytes, () => pointKey(bytes, 'P-256'));
    case 'ES384':
      return derKey(bytes, () => pointKey(bytes, 'P-384'));
    case 'EdDSA': {
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') };
      return derKey(bytes, () => createPublicKey({ key: jwk, format: 'jwk' }));
    }
    default:
      return derKey(bytes, () => createPublicKey({ key: bytes, format: 'der', type: 'pkcs1' }));
  }
}

function fits(algorithm: TokenAlgorithm, { asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (algorithm === 'EdDSA') return asymmetricKeyType === 'ed25519';
  if (algorithm === 'ES256') return asymmetricKeyDetails?.namedCurve === 'prime256v1';
  if (algorithm === 'ES384') return asymmetricKeyDetails?.namedCurve === 'secp384r1';
  return asymmetricKeyType === 'rsa' && asymmetricKeyDetails!.modulusLength! >= 2048;
}

/**
 * The key in `--jwt-decode-secret`. HMAC uses the bytes of the secret. The other algorithms expect a public key in
 * DER, either in the real publisher's form (RSA as PKCS#1, ECDSA as the bare point, Ed25519 as the bare 32 bytes)
 * or as SPKI. Throws an error that does not quote the secret.
 */
export function tokenKeyOf(algorithm: TokenAlgorithm, secret: string): TokenKey {
  const bytes = secretBytes(secret);
  if (bytes.byteLength === 0) throw new Error('the secret is empty');
  if (hmacAlgorithms.includes(algorithm as 'HS256')) return { algorithm, key: bytes };
  let key: KeyObject;
  try {
    key = publicKey(algorithm, bytes);
  } catch {
    throw new Error(`the secret is not a public key for ${algorithm} in DER`);
  }
  if (!fits(algorithm, key)) throw new Error(`the public key is not one for ${algorithm}`);
  return { algorithm, key };
}
