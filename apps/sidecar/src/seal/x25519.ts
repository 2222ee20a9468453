import { createPrivateKey, createPublicKey } from 'node:crypto';

/** DER of a PKCS #8 X25519 private key up to its 32 key bytes (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The public key (32 bytes) of an X25519 private key. Throws `RangeError` unless that has 32 bytes. */
export function x25519PublicKey(privateKey: Uint8Array): Uint8Array {
  if (privateKey.length !== 32) throw new RangeError('an X25519 private key has 32 bytes');
  const der = Buffer.concat([pkcs8Prefix, privateKey]);
  try {
    const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    return new Uint8Array(key.export({ format: 'der', type: 'spki' }).subarray(-32));
  } finally {
    der.fill(0);
  }
}
