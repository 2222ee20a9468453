import { anyCaseHex32Pattern, fromHex } from '@memrelay/protocol/bytes';
import { verifyStrictEd25519 } from '@memrelay/protocol/ed25519-strict';
import * as ed25519 from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import { ed25519PublicKey, pkcs8Of } from './ed25519-public-key.ts';
import { MemRelayError } from './errors.ts';

ed25519.hashes.sha512 = sha512;

/** Keeps a delegate key and signs with it until it is destroyed. */
export interface Signer {
  readonly publicKey: Uint8Array;
  /** Throws `client_destroyed` after `destroy`, as `sign` does. */
  assertUsable(): void;
  sign(message: Uint8Array): Promise<Uint8Array>;
  /** Overwrites the key. */
  destroy(): void;
}

/**
 * Reads a delegate private key: 64 hex characters, with or without `0x`, or 32 bytes (which are copied).
 * Throws `invalid_argument`; the message never contains the key.
 */
export function parsePrivateKey(key: string | Uint8Array): Uint8Array {
  if (key instanceof Uint8Array) {
    // Not `slice`, which shares memory when it is a Buffer.
    if (key.length === 32) return Uint8Array.from(key);
    throw new MemRelayError(
      'invalid_argument',
      `key must be 32 bytes, not ${key.length}; if it is an expanded 64-byte key, pass its first half.`,
    );
  }
  const hex = typeof key === 'string' ? key.replace(/^0x/i, '') : '';
  if (anyCaseHex32Pattern.test(hex)) return fromHex(hex);
  throw new MemRelayError(
    'invalid_argument',
    'key must be the delegate private key as 64 hex characters (delegatePrivateKey of the credential file) or 32 bytes.',
  );
}

/** Strict verification (packages/protocol, ed25519-strict.ts). Never throws. */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return verifyStrictEd25519(publicKey, message, signature, () =>
    ed25519.verify(signature, message, publicKey, { zip215: false }),
  );
}

/** Creates a signer that owns the 32 bytes of `seed`: `destroy` overwrites them. */
export function createSigner(seed: Uint8Array): Signer {
  let imported: Promise<CryptoKey | undefined> | undefined;
  let destroyed = false;
  const assertUsable = () => {
    if (destroyed)
      throw new MemRelayError('client_destroyed', 'This client was destroyed; create a new one.');
  };
  return {
    publicKey: ed25519PublicKey(seed),
    assertUsable,
    async sign(message) {
      assertUsable();
      imported ??= importKey(seed);
      const webKey = await imported;
      // Checked again: `destroy` may have run in the meantime, and a zeroed key would sign as another key.
      assertUsable();
      if (webKey === undefined) return ed25519.sign(message, seed);
      return new Uint8Array(await crypto.subtle.sign('Ed25519', webKey, message as Uint8Array<ArrayBuffer>));
    },
    destroy() {
      destroyed = true;
      imported = undefined;
      seed.fill(0);
    },
  };
}

/** The key for WebCrypto, or undefined where that has no Ed25519 (older browsers, pages without https). */
async function importKey(seed: Uint8Array): Promise<CryptoKey | undefined> {
  const pkcs8 = pkcs8Of(seed);
  try {
    return await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign']);
  } catch {
    return undefined;
  } finally {
    pkcs8.fill(0);
  }
}
