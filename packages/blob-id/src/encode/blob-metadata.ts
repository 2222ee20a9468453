import { blockBytes, digestBytes, stateBytes } from '../kernel/hash-code.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { BlobSource } from '../source/blob-source.ts';
import { createArena } from './arena.ts';
import type { BlobPlan } from './blob-plan.ts';
import { treeBytes, treeRoot } from './column-tree.ts';
import { type Encoder, hashSlivers, type SliverHashes } from './encode-blob.ts';
import { writeInitialStates } from './initial-states.ts';

/** RS2 in Walrus's `EncodingType`. */
const encodingType = 1;

export interface EncodedBlob {
  id: Uint8Array;
  root: Uint8Array;
  /** For each sliver pair, the hashes of the primary and the secondary sliver */
  sliverHashes: Uint8Array;
}

/** Encodes a blob and hashes everything up to its id. */
export function blobMetadata(encoder: Encoder, plan: BlobPlan, source: BlobSource): EncodedBlob {
  const sliverHashes = sliverPairs(hashSlivers(encoder, plan, source));
  return { ...identityOf(encoder, plan.size, sliverHashes), sliverHashes };
}

/** The same from the hashes of the two halves of the columns (`columnHalves`). */
export function joinHalves(
  encoder: Encoder,
  size: number,
  [left, right]: readonly [SliverHashes, SliverHashes],
): EncodedBlob {
  const { kernel, heap, matrix } = encoder;
  const rowsBytes = matrix.nShards * digestBytes;
  const arena = createArena(heap);
  const [leftAt, rightAt, rootsAt] = [arena.take(rowsBytes), arena.take(rowsBytes), arena.take(rowsBytes)];
  kernel.reserve(arena.end);
  const bytes = kernel.bytes();
  bytes.set(left.primary, leftAt);
  bytes.set(right.primary, rightAt);
  kernel.hashPairs(leftAt, digestBytes, rightAt, digestBytes, rootsAt, matrix.nShards);
  const secondary = new Uint8Array(rowsBytes);
  secondary.set(left.secondary);
  secondary.set(right.secondary, left.secondary.byteLength);
  const sliverHashes = sliverPairs({ primary: bytes.slice(rootsAt, rootsAt + rowsBytes), secondary });
  return { ...identityOf(encoder, size, sliverHashes), sliverHashes };
}

/** Computes id and root from the hashes of all sliver pairs. */
export function identityOf(
  { kernel, heap }: Encoder,
  size: number,
  sliverHashes: Uint8Array,
): Pick<EncodedBlob, 'id' | 'root'> {
  const root = pairsRoot(kernel, sliverHashes, heap);
  return { id: blobIdOf(kernel, size, root, heap), root };
}

/** Combines the hashes into pairs: pair i is row i and column n − 1 − i. */
function sliverPairs({ primary, secondary }: SliverHashes): Uint8Array {
  const pairs = new Uint8Array(primary.byteLength + secondary.byteLength);
  for (let row = 0; row < primary.byteLength; row += digestBytes) {
    const column = secondary.byteLength - digestBytes - row;
    pairs.set(primary.subarray(row, row + digestBytes), 2 * row);
    pairs.set(secondary.subarray(column, column + digestBytes), 2 * row + digestBytes);
  }
  return pairs;
}

/** Root of the Merkle tree over the sliver pairs; each leaf is the hash of 0x00 and the pair's two hashes. */
function pairsRoot(kernel: Kernel, pairs: Uint8Array, heap: number): Uint8Array {
  const pairBytes = 2 * digestBytes;
  const count = pairs.byteLength / pairBytes;
  const arena = createArena(heap);
  const messages = arena.take(count * blockBytes);
  const states = arena.take(count * stateBytes);
  const root = arena.take(treeBytes(count));
  kernel.reserve(arena.end);
  const bytes = kernel.bytes();
  bytes.fill(0, messages, states);
  for (let i = 0; i < count; i++)
    bytes.set(pairs.subarray(i * pairBytes, (i + 1) * pairBytes), messages + i * blockBytes + 1);
  writeInitialStates(bytes, states, count);
  kernel.absorb(messages, blockBytes, states, count, 1, 0, 1 + pairBytes);
  treeRoot(kernel, { at: states, stride: stateBytes, count, equal: { start: 0, end: 0 } }, root);
  return bytes.slice(root, root + digestBytes);
}

/** The blob id: BLAKE2b-256 of encoding type, size (64 bits, little-endian) and root. Walrus core, `BlobId::from_metadata`. */
function blobIdOf(kernel: Kernel, size: number, root: Uint8Array, heap: number): Uint8Array {
  const messageBytes = 1 + 8 + digestBytes;
  const arena = createArena(heap);
  const message = arena.take(blockBytes);
  const state = arena.take(stateBytes);
  kernel.reserve(arena.end);
  const bytes = kernel.bytes();
  bytes.fill(0, message, state);
  bytes[message] = encodingType;
  new DataView(bytes.buffer).setBigUint64(message + 1, BigInt(size), true);
  bytes.set(root, message + 9);
  writeInitialStates(bytes, state, 1);
  kernel.absorb(message, blockBytes, state, 1, 1, 0, messageBytes);
  return bytes.slice(state, state + digestBytes);
}
