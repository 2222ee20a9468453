import { createHash, hash } from 'node:crypto';
import { plainView } from './bytes.ts';

/** One call into OpenSSL per digest. For short input, an HMAC built from it takes 4 µs; OpenSSL's needs 12 µs to set up (measured). */
const digest = (input: Uint8Array): Buffer => hash('sha256', input, 'buffer');

const blockLength = 64;
/** Longer messages are hashed in parts, without copying them into one array first. */
const longMessage = 4_096;

/** HMAC-SHA-256 (RFC 2104) of the concatenated parts. */
export function hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  const shortKey = key.length > blockLength ? digest(key) : key;
  const outer = new Uint8Array(blockLength + 32).fill(0x5c, 0, blockLength);
  for (let i = 0; i < shortKey.length; i++) outer[i]! ^= shortKey[i]!;
  outer.set(innerDigest(shortKey, parts), blockLength);
  const mac = plainView(digest(outer));
  outer.fill(0);
  return mac;
}

function innerDigest(key: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, blockLength);
  const isLong = length > longMessage;
  const inner = new Uint8Array(isLong ? blockLength : length).fill(0x36, 0, blockLength);
  for (let i = 0; i < key.length; i++) inner[i]! ^= key[i]!;
  try {
    if (isLong) {
      const hashing = createHash('sha256').update(inner);
      for (const part of parts) hashing.update(part);
      return hashing.digest();
    }
    let offset = blockLength;
    for (const part of parts) {
      inner.set(part, offset);
      offset += part.length;
    }
    return digest(inner);
  } finally {
    inner.fill(0);
  }
}
