import { fromHex } from '@memrelay/protocol/bytes';
import * as ed25519 from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';

ed25519.hashes.sha512 = sha512;

/** PKCS #8 for an Ed25519 seed (RFC 8410): these bytes, then the 32 of the seed. */
const prefix = fromHex('302e020100300506032b657004220420');

/** The key as PKCS #8: overwrite it after use. */
export const pkcs8Of = (seed: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array([...prefix, ...seed]);

/** What is used of Node's module `crypto`, which browsers do not have */
interface NodeCrypto {
  createPublicKey(key: object): { export(options: object): Uint8Array };
}

/**
 * The public key (32 bytes) of a seed (32 bytes). With Node's own code where there is one: the portable code first computes
 * tables, which takes a command of one request 40 ms.
 */
export function ed25519PublicKey(seed: Uint8Array): Uint8Array {
  const { process } = globalThis as { process?: { getBuiltinModule(name: string): NodeCrypto } };
  const key = pkcs8Of(seed);
  try {
    const node = process!.getBuiltinModule('crypto').createPublicKey({ key, format: 'der', type: 'pkcs8' });
    return Uint8Array.from(node.export({ format: 'der', type: 'spki' }).slice(-32));
  } catch {
    return ed25519.getPublicKey(seed);
  } finally {
    key.fill(0);
  }
}
