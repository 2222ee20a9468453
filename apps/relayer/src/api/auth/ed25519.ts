import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isStrictEd25519Point, isStrictEd25519Signature } from '@memrelay/protocol/ed25519-strict';
import { LRUCache } from 'lru-cache';

/** The part of an Ed25519 SubjectPublicKeyInfo before the key bytes (RFC 8410). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Cache of parsed keys: parsing one takes a quarter of the time of a verification. */
const keys = new LRUCache<string, KeyObject>({ max: 10_000 });

/** Checks the verification equation. Its other checks may be looser: they differ between OpenSSL versions. */
export type EquationCheck = (message: Uint8Array, key: KeyObject, signature: Uint8Array) => boolean;

/**
 * Strict Ed25519 verification (protocol, `ed25519-strict.ts`) with a cache of parsed keys. `publicKey` and `signature`
 * must be hex of the right length, upper or lower case.
 */
export function verifyStrict(
  publicKey: string,
  signature: string,
  message: Uint8Array,
  holds: EquationCheck = (...signed) => verify(null, ...signed),
): boolean {
  const name = publicKey.toLowerCase();
  const signatureBytes = Buffer.from(signature, 'hex');
  if (!isStrictEd25519Signature(signatureBytes)) return false;
  let key = keys.get(name);
  if (!key) {
    const bytes = Buffer.from(name, 'hex');
    if (!isStrictEd25519Point(bytes)) return false;
    key = createPublicKey({ key: Buffer.concat([spkiPrefix, bytes]), format: 'der', type: 'spki' });
  }
  const valid = holds(message, key, signatureBytes);
  if (valid) keys.set(name, key);
  return valid;
}
