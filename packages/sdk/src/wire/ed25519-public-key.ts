import { fromHex } from '@memrelay/protocol/bytes';
import * as ed25519 from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';

ed25519.hashes.sha512 = sha512;

/** PKCS #8 for an Ed25519 seed (RFC 8410): these bytes, then the 32 of the seed. */
export const pkcs8Prefix = fromHex('302e020100300506032b657004220420');

/** What is used of Node's module `crypto`, which browsers do not have */
interface NodeCrypto {
  createPrivateKey(key: { key: Uint8Array; format: 'der'; type: 'pkcs8' }): object;
  createPublicKey(key: object): { export(options: { format: 'der'; type: 'spki' }): Uint8Array };
}

/**
 * The public key (32 bytes) of a seed (32 bytes). With Node's own code where there is one: the portable code first computes
 * tables, which takes a command of one request 40 ms.
 */
export function ed25519PublicKey(seed: Uint8Array): Uint8Array {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  const node = process?.getBuiltinModule?.('crypto') as Partial<NodeCrypto> | undefined;
  if (!node?.createPrivateKey || !node.createPublicKey) return ed25519.getPublicKey(seed);
  const pkcs8 = new Uint8Array([...pkcs8Prefix, ...seed]);
  try {
    const key = node.createPublicKey(node.createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
    // The last bytes of the DER, in a buffer of their own
    return new Uint8Array(key.export({ format: 'der', type: 'spki' }).slice(-32));
  } catch {
    return ed25519.getPublicKey(seed);
  } finally {
    pkcs8.fill(0);
  }
}
