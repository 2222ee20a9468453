import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { addScalars, publicKeyG1, scalarOf } from './bls-keys.ts';

/** One storage node of a committee whose members' keys all derive from one secret. */
export interface CommitteeMember {
  /** Index in the committee, and of its bit in a bitmap of signers */
  index: number;
  /** 32 bytes, big-endian */
  secretKey: Uint8Array;
  /** Compressed G1, 48 bytes */
  publicKey: Uint8Array;
  /** The same point uncompressed, 96 bytes */
  publicKeyUncompressed: Uint8Array;
  /** The shards it stores, ascending */
  shards: number[];
}

/** The storage nodes of a network that one process operates. */
export interface StorageCommittee {
  nShards: number;
  members: CommitteeMember[];
  /** The sum of the members' keys. Its signature equals the sum of the members' signatures */
  secretKey: Uint8Array;
  /** Compressed G1, 48 bytes: the aggregated key of all members */
  publicKey: Uint8Array;
  /** One bit per member, all set */
  bitmap: Uint8Array;
}

/**
 * Maximum number of members. `@mysten/walrus` 1.2 needs several nodes: with one it never verifies a blob's status, and with
 * fewer than eleven it cannot report that a blob does not exist, because it queries the nodes after the first in tenths.
 */
export const mostMembers = 11;

/** Number of random bytes for a scalar without bias (RFC 9380 section 5). */
const scalarBytes = 48;

/** The committee of a network with `nShards` shards, from the storage nodes' secret of 32 bytes. */
export function storageCommittee(secret: Uint8Array, nShards: number): StorageCommittee {
  const count = Math.min(mostMembers, nShards);
  const boundary = (index: number) => Math.floor((index * nShards) / count);
  const secretKeys = Array.from({ length: count }, (_, index) => memberKey(secret, index));
  const members = secretKeys.map((secretKey, index): CommitteeMember => {
    const first = boundary(index);
    const shards = Array.from({ length: boundary(index + 1) - first }, (_, place) => first + place);
    const { compressed, uncompressed } = publicKeyG1(secretKey);
    return { index, secretKey, publicKey: compressed, publicKeyUncompressed: uncompressed, shards };
  });
  const secretKey = secretKeys.reduce(addScalars);
  const bitmap = new Uint8Array(Math.ceil(count / 8));
  for (const { index } of members) bitmap[index >> 3]! |= 1 << (index & 7);
  return { nShards, members, secretKey, publicKey: publicKeyG1(secretKey).compressed, bitmap };
}

function memberKey(secret: Uint8Array, index: number): Uint8Array {
  const info = new TextEncoder().encode(`memrelay-storage-node-${index}`);
  return scalarOf(hkdf(sha256, secret, undefined, info, scalarBytes));
}

/** Whether members with `weight` of the shards may certify together (`bls_aggregate.move`). */
export function isQuorum(weight: number, nShards: number): boolean {
  return 3 * weight >= 2 * nShards + 1;
}

/**
 * The shard that stores a sliver pair of a blob. The blob id, read as a big-endian number, rotates the pairs over the
 * shards so that the first shards do not hold the first rows of every blob.
 */
export function shardOfPair(pair: number, blobId: Uint8Array, nShards: number): number {
  const offset = blobId.reduce((sum, byte) => (sum * 256 + byte) % nShards, 0);
  return (pair + offset) % nShards;
}

/**
 * The message that the storage nodes sign together to announce their URL. It contains the chain's identifier, so that it
 * cannot be replayed on another network.
 */
export function storageNodesAnnouncement(chainId: string, url: string): Uint8Array {
  return new TextEncoder().encode(`memrelay-storage-nodes-v1\n${chainId}\n${url}`);
}
