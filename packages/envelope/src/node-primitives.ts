import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import { verifyStrictEd25519 } from '@memrelay/protocol/ed25519-strict';
import { concatBytes, equalBytes, plainView, requireLength } from './bytes.ts';
import { hmacSha256 } from './hmac-node.ts';
import type { Primitives } from './primitives.ts';

/** The fixed DER prefix of a private key (RFC 8410); the raw 32 bytes follow. */
const derPrefixes = {
  ed25519: fromHex('302e020100300506032b657004220420'),
  x25519: fromHex('302e020100300506032b656e04220420'),
} as const;
type Curve = keyof typeof derPrefixes;

/** Public keys are read and written as JWK (RFC 8037). Private ones never are, because a string cannot be wiped. */
const jwkCurves = { ed25519: 'Ed25519', x25519: 'X25519' } as const;

interface CachedPrivateKey {
  raw: Uint8Array;
  key: KeyObject;
  publicKey: Uint8Array;
}

/**
 * Creating a key object costs more than using it (40 µs compared with 25 µs), so key objects are cached. An entry exists
 * exactly as long as the caller's array, so dropping the array drops the key. Its copy detects an array that was wiped and
 * reused.
 */
const privateKeys = {
  ed25519: new WeakMap<Uint8Array, CachedPrivateKey>(),
  x25519: new WeakMap<Uint8Array, CachedPrivateKey>(),
};

function privateKeyOf(curve: Curve, raw: Uint8Array): CachedPrivateKey {
  requireLength(raw, 32, 'private key');
  const cached = privateKeys[curve].get(raw);
  if (cached !== undefined && equalBytes(cached.raw, raw)) return cached;
  const der = Buffer.from(concatBytes(derPrefixes[curve], raw));
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  const entry = { raw: Uint8Array.from(raw), key, publicKey: publicBytes(createPublicKey(key)) };
  privateKeys[curve].set(raw, entry);
  return entry;
}

function publicBytes(key: KeyObject): Uint8Array {
  // As JWK, because OpenSSL's DER encoder takes twenty times as long
  const { x } = key.export({ format: 'jwk' });
  return Uint8Array.from(Buffer.from(x!, 'base64url'));
}

/** Copies an X25519 private key. All copies share one key object, which exists as long as one of the arrays. */
export function copyPrivateKey(raw: Uint8Array): Uint8Array {
  const copy = raw.slice();
  privateKeys.x25519.set(copy, privateKeyOf('x25519', raw));
  return copy;
}

/** Least recently used first. Recipient and signer keys repeat; 1,000 of them take about 1 MB. */
const publicKeys = new Map<string, KeyObject>();
const maxPublicKeys = 1_000;

function publicKeyOf(curve: Curve, raw: Uint8Array): KeyObject {
  requireLength(raw, 32, 'public key');
  const name = curve + toHex(raw);
  let key = publicKeys.get(name);
  if (key === undefined) {
    const jwk = { kty: 'OKP', crv: jwkCurves[curve], x: Buffer.from(raw).toString('base64url') };
    key = createPublicKey({ key: jwk, format: 'jwk' });
    if (publicKeys.size >= maxPublicKeys) publicKeys.delete(publicKeys.keys().next().value!);
  } else publicKeys.delete(name);
  publicKeys.set(name, key);
  return key;
}

function sharedSecret(ours: KeyObject, publicKey: Uint8Array): Uint8Array | undefined {
  const theirs = publicKeyOf('x25519', publicKey);
  try {
    const secret = plainView(diffieHellman({ privateKey: ours, publicKey: theirs }));
    return secret.every((byte) => byte === 0) ? undefined : secret;
  } catch {
    // OpenSSL 3 refuses an all-zero result. Nothing else can fail with two valid keys.
    return undefined;
  }
}

const tagLength = 16;

function gcmName(key: Uint8Array): 'aes-128-gcm' | 'aes-256-gcm' {
  if (key.length === 32) return 'aes-256-gcm';
  requireLength(key, 16, 'AES key');
  return 'aes-128-gcm';
}

/** `Primitives` on OpenSSL through `node:crypto`. AES takes key objects: raw keys cost Node 24 another 10 µs (measured). */
export const nodePrimitives: Primitives = {
  randomBytes: (length) => Uint8Array.from(randomBytes(length)),

  sha256(...parts) {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return plainView(hash.digest());
  },

  hmacSha256,

  aesGcmSeal(key, nonce, aad, plaintext) {
    const cipher = createCipheriv(gcmName(key), createSecretKey(key), nonce, { authTagLength: tagLength });
    cipher.setAAD(aad);
    return concatBytes(cipher.update(plaintext), cipher.final(), cipher.getAuthTag());
  },

  aesGcmOpen(key, nonce, aad, sealed) {
    if (sealed.length < tagLength) return undefined;
    const decipher = createDecipheriv(gcmName(key), createSecretKey(key), nonce, {
      authTagLength: tagLength,
    });
    decipher.setAAD(aad);
    decipher.setAuthTag(sealed.subarray(-tagLength));
    const plaintext = decipher.update(sealed.subarray(0, -tagLength));
    try {
      decipher.final();
    } catch {
      plaintext.fill(0);
      return undefined;
    }
    return plainView(plaintext);
  },

  x25519PublicKey: (privateKey) => Uint8Array.from(privateKeyOf('x25519', privateKey).publicKey),

  x25519SharedSecret: (privateKey, publicKey) =>
    sharedSecret(privateKeyOf('x25519', privateKey).key, publicKey),

  // Half the price of importing random bytes as a private key
  x25519Exchange(publicKey) {
    const pair = generateKeyPairSync('x25519');
    return { enc: publicBytes(pair.publicKey), secret: sharedSecret(pair.privateKey, publicKey) };
  },

  ed25519PublicKey: (seed) => Uint8Array.from(privateKeyOf('ed25519', seed).publicKey),

  ed25519Sign: (seed, message) => plainView(sign(null, message, privateKeyOf('ed25519', seed).key)),

  ed25519Verify(publicKey, message, signature) {
    return verifyStrictEd25519(publicKey, message, signature, () =>
      verify(null, message, publicKeyOf('ed25519', publicKey), signature),
    );
  },
};
