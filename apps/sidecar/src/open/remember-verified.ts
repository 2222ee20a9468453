import type { Primitives } from '@memrelay/envelope/primitives';
import { LRUCache } from 'lru-cache';

/** 64 bytes each */
const signaturesKept = 20_000;

/**
 * The same primitives, but a signature that held is not reckoned again: one that holds does so forever. Whether its key is
 * trusted is another question, which is asked each time.
 */
export function rememberVerified(primitives: Primitives): Primitives {
  const held = new LRUCache<string, true>({ max: signaturesKept });
  return {
    ...primitives,
    ed25519Verify(publicKey, message, signature) {
      // Joined without their lengths, parts of other lengths could stand for these
      if (publicKey.length !== 32 || signature.length !== 64) return false;
      const name = Buffer.from(primitives.sha256(publicKey, signature, message)).toString('latin1');
      if (held.get(name)) return true;
      const holds = primitives.ed25519Verify(publicKey, message, signature);
      if (holds) held.set(name, true);
      return holds;
    },
  };
}
