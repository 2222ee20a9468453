import type { Primitives } from '@memrelay/envelope/primitives';
import { LRUCache } from 'lru-cache';

/** Number of cached signatures, 64 bytes each */
const signaturesKept = 20_000;

/**
 * The same primitives, with a cache of valid signatures: a valid signature stays valid forever. Whether its key is trusted
 * is checked separately, each time.
 */
export function rememberVerified(primitives: Primitives): Primitives {
  const verified = new LRUCache<string, true>({ max: signaturesKept });
  return {
    ...primitives,
    ed25519Verify(publicKey, message, signature) {
      // The hash does not cover lengths, so parts of other lengths could produce the same input
      if (publicKey.length !== 32 || signature.length !== 64) return false;
      const key = Buffer.from(primitives.sha256(publicKey, signature, message)).toString('latin1');
      if (verified.get(key)) return true;
      const isValid = primitives.ed25519Verify(publicKey, message, signature);
      if (isValid) verified.set(key, true);
      return isValid;
    },
  };
}
