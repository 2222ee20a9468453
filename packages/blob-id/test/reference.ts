import { BlobEncoder } from '@mysten/walrus-wasm';
import type { BlobMetadata } from '../src/blob-id.ts';
import { sourceMatrix, symbolBytesFor } from '../src/source/matrix.ts';

type Digest = { Digest: number[] };
interface EncodeResult {
  metadata: { V1: { hashes: { primary_hash: Digest; secondary_hash: Digest }[] } };
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

const base64url = (bytes: readonly number[]): string => Buffer.from(bytes).toString('base64url');

/** Id and root as the Walrus SDK computes them. */
export function referenceIdentity(
  bytes: Uint8Array,
  nShards: number,
): Pick<BlobMetadata, 'blobId' | 'rootHash'> {
  const [id, root] = encoderFor(nShards).compute_metadata(bytes) as [number[], Digest];
  return { blobId: base64url(id), rootHash: base64url(root.Digest) };
}

/** The hashes of all sliver pairs as the Walrus SDK computes them. */
export function referenceSliverHashes(bytes: Uint8Array, nShards: number): Uint8Array {
  const matrix = sourceMatrix(nShards);
  const symbolBytes = symbolBytesFor(matrix, bytes.byteLength);
  // A sliver in BCS: its length, the symbols, the length of a symbol and the index of the sliver
  const sliver = (symbols: number): Uint8Array => {
    const length = symbols * symbolBytes;
    const lengthBytes = Math.max(1, Math.ceil(Math.log2(length + 1) / 7));
    return new Uint8Array(lengthBytes + length + 4);
  };
  const slivers = (symbols: number): Uint8Array[] => Array.from({ length: nShards }, () => sliver(symbols));
  const encoded = encoderFor(nShards).encode(bytes, slivers(matrix.columns), slivers(matrix.rows)) as [
    EncodeResult,
    Digest,
  ];
  return Uint8Array.from(
    encoded[0].metadata.V1.hashes.flatMap(({ primary_hash, secondary_hash }) => [
      ...primary_hash.Digest,
      ...secondary_hash.Digest,
    ]),
  );
}

/** Content that is the same in every run and differs from block to block. */
export function content(size: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(size);
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  for (let i = 0; i < size; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[i] = state;
  }
  return bytes;
}
