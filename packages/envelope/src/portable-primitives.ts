import { verifyStrictEd25519 } from '@memrelay/protocol/ed25519-strict';
import { gcm } from '@noble/ciphers/aes.js';
import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { randomBytes } from '@noble/hashes/utils.js';
import { equalBytes, isAllZero, requireLength } from './bytes.ts';
import type { Primitives } from './primitives.ts';

const { Point } = ed25519;

function numberOf(littleEndian: Uint8Array): bigint {
  let value = 0n;
  for (let i = littleEndian.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(littleEndian[i]!);
  return value;
}

/** `Primitives` in plain JavaScript, without Node. WebCrypto cannot be used, because it is asynchronous. */
export const portablePrimitives: Primitives = {
  randomBytes: (length) => randomBytes(length),

  sha256(...parts) {
    const hash = sha256.create();
    for (const part of parts) hash.update(part);
    return hash.digest();
  },

  hmacSha256(key, ...parts) {
    const mac = hmac.create(sha256, key);
    for (const part of parts) mac.update(part);
    return mac.digest();
  },

  aesGcmSeal: (key, nonce, aad, plaintext) => gcm(key, nonce, aad).encrypt(plaintext),

  aesGcmOpen(key, nonce, aad, sealed) {
    if (sealed.length < 16) return undefined;
    const cipher = gcm(key, nonce, aad);
    try {
      return cipher.decrypt(sealed);
    } catch {
      return undefined;
    }
  },

  x25519PublicKey(privateKey) {
    requireLength(privateKey, 32, 'private key');
    return x25519.getPublicKey(privateKey);
  },

  x25519SharedSecret(privateKey, publicKey) {
    requireLength(privateKey, 32, 'private key');
    requireLength(publicKey, 32, 'public key');
    try {
      const secret = x25519.getSharedSecret(privateKey, publicKey);
      return isAllZero(secret) ? undefined : secret;
    } catch {
      // With two 32-byte inputs only the all-zero result is refused.
      return undefined;
    }
  },

  ed25519PublicKey(seed) {
    requireLength(seed, 32, 'private key');
    return ed25519.getPublicKey(seed);
  },

  ed25519Sign(seed, message) {
    requireLength(seed, 32, 'private key');
    return ed25519.sign(message, seed);
  },

  /**
   * Computes R and compares it as bytes. `ed25519.verify` is not used, because it multiplies by the cofactor and so accepts
   * signatures that OpenSSL refuses: an envelope could be valid in a browser and invalid on a server.
   */
  ed25519Verify(publicKey, message, signature) {
    return verifyStrictEd25519(publicKey, message, signature, () => {
      const r = signature.subarray(0, 32);
      const a = Point.fromBytes(publicKey);
      const challenge = sha512.create().update(r).update(publicKey).update(message).digest();
      const k = numberOf(challenge) % Point.Fn.ORDER;
      const s = numberOf(signature.subarray(32));
      const expected = Point.BASE.multiplyUnsafe(s).subtract(a.multiplyUnsafe(k));
      return equalBytes(expected.toBytes(), r);
    });
  },
};
