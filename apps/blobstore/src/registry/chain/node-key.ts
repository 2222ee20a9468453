import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { Piscina } from 'piscina';

/** Signs as the network's storage node. */
export interface NodeSigner {
  /** BLS signature over a message, compressed G2 */
  sign(message: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The secret key of a storage node from its file: 64 hex digits. Its content never appears in an error. */
export async function readNodeKey(path: string): Promise<Uint8Array> {
  const text = await readFile(path, 'utf8').then(
    (content) => content.trim(),
    (cause: unknown) => {
      throw new Error(`BLOBSTORE_NODE_KEY_FILE: ${path} cannot be read`, { cause });
    },
  );
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new Error(`BLOBSTORE_NODE_KEY_FILE: ${path} must hold a key of 64 hex digits`);
  }
  return Buffer.from(text, 'hex');
}

/** Uncompressed G1, 96 bytes, as the committee on chain lists it. */
export function publicKeyOf(secretKey: Uint8Array): Uint8Array {
  return bls12_381.longSignatures.getPublicKey(secretKey).toBytes(false);
}

/** A signer in a worker thread: one signature takes 2 ms of computation. */
export function createNodeSigner(secretKey: Uint8Array): NodeSigner {
  const extension = extname(fileURLToPath(import.meta.url));
  const pool = new Piscina<Uint8Array, Uint8Array>({
    filename: new URL(`./sign-worker${extension}`, import.meta.url).href,
    name: 'sign',
    minThreads: 1,
    maxThreads: 1,
    workerData: secretKey,
  });
  return { sign: (message) => pool.run(message), close: () => pool.close({ force: true }) };
}
