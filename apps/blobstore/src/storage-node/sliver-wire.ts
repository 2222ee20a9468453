import { type SliverKind, sliverSymbols } from '@memrelay/blob-id/sliver-hash';
import { sourceMatrix, symbolBytesFor } from '@memrelay/blob-id/source/matrix';
import { BcsWriter } from '@mysten/bcs';
import { createBcsReader } from '../base/bcs-reader.ts';

/** Metadata and slivers in BCS, as clients and storage nodes exchange them (Walrus core, `metadata.rs`). */

const digestBytes = 32;
/** `BlobMetadata::V1` */
const versionOne = 0;
/** RS2 in `EncodingType` */
const encodingRs2 = 1;
/** `MerkleNode::Digest` */
const digestNode = 1;

export interface MetadataFields {
  /** Unencoded bytes */
  size: number;
  /** For each sliver pair, the hashes of the primary and the secondary sliver, 32 bytes each */
  sliverHashes: Uint8Array;
}

/** `BlobMetadataWithId`. */
export function encodeMetadata(blobId: Uint8Array, { size, sliverHashes }: MetadataFields): Uint8Array {
  const nodes = sliverHashes.byteLength / digestBytes;
  const writer = new BcsWriter({ initialSize: 64 + nodes * (1 + digestBytes) });
  writer.writeBytes(blobId);
  writer
    .write8(versionOne)
    .write8(encodingRs2)
    .write64(size)
    .writeULEB(nodes / 2);
  for (let node = 0; node < nodes; node++) {
    writer.write8(digestNode);
    writer.writeBytes(sliverHashes.subarray(node * digestBytes, (node + 1) * digestBytes));
  }
  return writer.toBytes();
}

/** Maximum length of a `BlobMetadata` for `nShards` shards, in bytes. */
export const maxMetadataBytes = (nShards: number): number => 16 + nShards * 2 * (1 + digestBytes);

/** Reads a `BlobMetadata`. Throws an error that names the problem. */
export function decodeMetadata(bytes: Uint8Array, nShards: number): MetadataFields {
  const reader = createBcsReader(bytes, (problem) => new Error(problem));
  if (reader.u8() !== versionOne) throw new Error('it is not of version 1');
  if (reader.u8() !== encodingRs2) throw new Error('the encoding is not RS2');
  const size = reader.u64();
  const pairs = reader.uleb();
  if (pairs !== nShards) throw new Error(`it has ${pairs} sliver pairs, not ${nShards}`);
  const sliverHashes = new Uint8Array(2 * nShards * digestBytes);
  for (let node = 0; node < 2 * nShards; node++) {
    if (reader.u8() !== digestNode) throw new Error('a hash is missing');
    sliverHashes.set(reader.bytes(digestBytes), node * digestBytes);
  }
  reader.end();
  return { size, sliverHashes };
}

export const sliverKinds = ['primary', 'secondary'] as const satisfies SliverKind[];

/** The lengths of the slivers of a blob, which depend on its size. */
export interface SliverShape {
  kind: SliverKind;
  symbolBytes: number;
  /** Bytes of the symbols */
  dataBytes: number;
  /** Bytes of the sliver in BCS */
  totalBytes: number;
}

/**
 * The shape of the slivers of a blob of `size` bytes. Throws `RangeError` if the blob is too large for the shards.
 */
export function sliverShape(kind: SliverKind, size: number, nShards: number): SliverShape {
  const matrix = sourceMatrix(nShards);
  const symbolBytes = symbolBytesFor(matrix, size);
  const dataBytes = sliverSymbols(matrix, kind) * symbolBytes;
  return { kind, symbolBytes, dataBytes, totalBytes: ulebBytes(dataBytes) + dataBytes + 4 };
}

const ulebBytes = (value: number): number => Math.floor(Math.log2(value) / 7) + 1;

/**
 * The index of a pair's sliver among the slivers of its kind. Secondary slivers are numbered from the other end.
 */
function indexOf(kind: SliverKind, pair: number, nShards: number): number {
  return kind === 'primary' ? pair : nShards - 1 - pair;
}

/** `SliverData`. */
export function encodeSliver(
  kind: SliverKind,
  size: number,
  pair: number,
  data: Uint8Array,
  nShards: number,
): Uint8Array {
  const { symbolBytes, totalBytes } = sliverShape(kind, size, nShards);
  const writer = new BcsWriter({ initialSize: totalBytes });
  writer.writeULEB(data.byteLength).writeBytes(data);
  return writer
    .write16(symbolBytes)
    .write16(indexOf(kind, pair, nShards))
    .toBytes();
}

/** The symbols of a `SliverData`. Throws an error that names the problem. */
export function decodeSliver(
  bytes: Uint8Array,
  { kind, symbolBytes, dataBytes, totalBytes }: SliverShape,
  pair: number,
  nShards: number,
): Uint8Array {
  if (bytes.byteLength !== totalBytes)
    throw new Error(
      `it has ${bytes.byteLength} bytes, not the ${totalBytes} that the size of the blob gives`,
    );
  const reader = createBcsReader(bytes, (problem) => new Error(problem));
  if (reader.uleb() !== dataBytes) throw new Error('it has another number of symbols');
  const data = reader.bytes(dataBytes);
  if (reader.u16() !== symbolBytes) throw new Error('its symbols have another size');
  const index = reader.u16();
  if (index !== indexOf(kind, pair, nShards)) throw new Error(`it is sliver ${index}, not that of the pair`);
  return data;
}
