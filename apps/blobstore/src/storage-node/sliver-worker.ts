import { readFileSync } from 'node:fs';
import { computeBlobMetadata } from '@memrelay/blob-id/blob-id';
import { withFileSource } from '@memrelay/blob-id/source/file-source-node';
import { BlobEncoder } from '@mysten/walrus-wasm';
import { Piscina } from 'piscina';
import { sliverKinds, sliverShape } from './sliver-wire.ts';

/** Functions of the sliver worker thread. Piscina calls them by name. */

export interface EncodeTask {
  /** A file with the content */
  path: string;
  nShards: number;
}

export interface DecodeTask {
  blobId: Uint8Array;
  size: number;
  nShards: number;
  /** Primary slivers in BCS, as many as the source matrix has rows */
  slivers: Uint8Array[];
}

/** The hashes of all slivers. */
export function hashes({ path, nShards }: EncodeTask): Uint8Array {
  return withFileSource(path, (source) => computeBlobMetadata(source, { nShards }).sliverHashes);
}

/** All primary slivers in BCS, one after another in the order of their pairs. */
export function encode({ path, nShards }: EncodeTask): Uint8Array {
  const content = readFileSync(path);
  const [primary, secondary] = sliverKinds.map((kind) => {
    const { totalBytes } = sliverShape(kind, content.byteLength, nShards);
    const all = new Uint8Array(nShards * totalBytes);
    const each = Array.from({ length: nShards }, (_, pair) =>
      all.subarray(pair * totalBytes, (pair + 1) * totalBytes),
    );
    return { all, each };
  });
  using encoder = new BlobEncoder(nShards);
  encoder.encode(content, primary!.each, secondary!.each);
  return Piscina.move(primary!.all) as unknown as Uint8Array;
}

/**
 * Decodes the content from any of the primary slivers. They must have been verified, because the decoder does not
 * verify them.
 */
export function decode({ blobId, size, nShards, slivers }: DecodeTask): Uint8Array {
  const content = new Uint8Array(size);
  using encoder = new BlobEncoder(nShards);
  encoder.decode(blobId, BigInt(size), slivers, content);
  return content;
}
