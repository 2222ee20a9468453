import { createPrivateKey, createPublicKey } from 'node:crypto';

/** The bytes before the 32 key bytes in the DER of a PKCS #8 private key (RFC 8410). */
const pkcs8Prefixes = {
  ed25519: Buffer.from('302e020100300506032b657004220420', 'hex'),
  x25519: Buffer.from('302e020100300506032b656e04220420', 'hex'),
};

/**
 * The public key (32 bytes) of a private key. Zeroes its copy of the private key. Throws `RangeError` unless the
 * private key has 32 bytes.
 */
export function rawPublicKey(curve: keyof typeof pkcs8Prefixes, privateKey: Uint8Array): Uint8Array {
  if (privateKey.length !== 32) throw new RangeError('a private key has 32 bytes');
  const der = Buffer.concat([pkcs8Prefixes[curve], privateKey]);
  try {
    const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    return new Uint8Array(key.export({ format: 'der', type: 'spki' }).subarray(-32));
  } finally {
    der.fill(0);
  }
}
