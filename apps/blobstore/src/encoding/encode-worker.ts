import { readFile } from 'node:fs/promises';
import { BlobEncoder } from '@mysten/walrus-wasm';
import type { BlobIdentity } from './blob-id-encoder.ts';

export interface EncodeTask {
  path: string;
  nShards: number;
}

const encoders = new Map<number, BlobEncoder>();

function encoderFor(nShards: number): BlobEncoder {
  let encoder = encoders.get(nShards);
  if (encoder === undefined) {
    encoder = new BlobEncoder(nShards);
    encoders.set(nShards, encoder);
  }
  return encoder;
}

/**
 * Runs in a worker thread, because `compute_metadata` blocks for up to seconds. It reads the file itself, so
 * that large bodies never pass through the main thread. The name is what piscina calls.
 */
export async function identify({ path, nShards }: EncodeTask): Promise<BlobIdentity> {
  const bytes = await readFile(path);
  const [blobId, root] = encoderFor(nShards).compute_metadata(bytes) as [number[], { Digest: number[] }];
  return {
    blobId: Buffer.from(blobId).toString('base64url'),
    rootHash: Buffer.from(root.Digest).toString('base64url'),
  };
}
