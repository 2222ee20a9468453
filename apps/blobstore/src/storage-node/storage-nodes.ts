import { identityOfHashes } from '@memrelay/blob-id/blob-id';
import { type SliverKind, sliverHash } from '@memrelay/blob-id/sliver-hash';
import { sourceMatrix } from '@memrelay/blob-id/source/matrix';
import { type CommitteeMember, shardOfPair } from '@memrelay/chain/walrus-committee';
import { type FindParts, orUnavailable } from '../aggregator/find-readable.ts';
import { insufficientConfirmations, internalError } from '../base/api-error.ts';
import { blobTooLarge, forbiddenBlob } from '../base/read-errors.ts';
import type { BlobStatus } from '../registry/chain/blob-status.ts';
import type { Certificate } from '../registry/chain/walrus-calls.ts';
import { BlobDamagedError, type StoredBlob } from '../storage/storage.ts';
import { completeUpload, type StorageNodeParts, type UploadContext } from './complete-upload.ts';
import {
  inconsistentBlob,
  invalidMetadata,
  invalidSliver,
  metadataNotFound,
  missingMetadata,
  missingSlivers,
  notRegistered,
  shardNotAssigned,
  sliverNotFound,
  tooLargeForSlivers,
  tooManyUploads,
} from './node-errors.ts';
import { maxSliverBlobBytes } from './sliver-source.ts';
import {
  decodeMetadata,
  decodeSliver,
  encodeMetadata,
  type MetadataFields,
  sliverShape,
} from './sliver-wire.ts';

/** Whether a node has a part of a blob; the values are wire names. */
export type StoredStatus = 'Stored' | 'Nonexistent';

/** Names one sliver at one node. */
export interface SliverName {
  member: CommitteeMember;
  blobId: string;
  kind: SliverKind;
  pair: number;
}

/** The storage nodes' operations for their clients. All of them share one store. */
export interface StorageNodes {
  members: readonly CommitteeMember[];
  nShards: number;
  metadata(blobId: string): Promise<Uint8Array>;
  storeMetadata(blobId: string, body: Uint8Array): Promise<void>;
  metadataStatus(blobId: string): Promise<StoredStatus>;
  /** Primary slivers only. */
  sliver(name: SliverName): Promise<Uint8Array>;
  /**
   * The expected body length of a sliver, in bytes. Throws the errors of `storeSliver` that do not depend on the
   * body.
   */
  sliverBytes(name: SliverName): Promise<number>;
  storeSliver(name: SliverName, body: Uint8Array): Promise<void>;
  sliverStatus(name: SliverName): Promise<StoredStatus>;
  status(blobId: string): Promise<BlobStatus>;
  /** The node's confirmation that it keeps the blob: for `deletableObject`, or any permanent object. */
  confirm(member: CommitteeMember, blobId: string, deletableObject?: string): Promise<Certificate>;
}

export interface NodeContext extends FindParts, UploadContext {}

export function createStorageNodes(context: NodeContext, parts: StorageNodeParts): StorageNodes {
  const { storage, registry, blocklist, faults, limits } = context;
  const { node, slivers, uploads } = parts;
  const { members, nShards } = node.committee;
  const { rows } = sourceMatrix(nShards);

  function requireAssigned({ member, blobId, pair }: Omit<SliverName, 'kind'>): void {
    const shard = shardOfPair(pair, Buffer.from(blobId, 'base64url'), nShards);
    if (!member.shards.includes(shard)) throw shardNotAssigned(shard);
  }

  function pairsOf({ shards }: CommitteeMember, blobId: string): number[] {
    const offset = shardOfPair(0, Buffer.from(blobId, 'base64url'), nShards);
    return shards.map((shard) => (shard - offset + nShards) % nShards);
  }

  /**
   * Returns a blob that is certified, not blocked, and small enough to be encoded for a reader. Throws otherwise.
   */
  async function requireServed(blobId: string, missing: () => Error): Promise<StoredBlob> {
    if (blocklist.has(blobId)) throw forbiddenBlob();
    await faults.meetRead(blobId);
    const live = await orUnavailable(registry.liveObjects(blobId));
    const blob = live.length === 0 ? undefined : await storage.find(blobId);
    if (blob === undefined) throw missing();
    if (blob.size > limits.maxBlobBytes) throw blobTooLarge(limits.maxBlobBytes);
    if (blob.size > maxSliverBlobBytes) throw tooLargeForSlivers(maxSliverBlobBytes);
    return blob;
  }

  async function requireRegistered(blobId: string): Promise<number> {
    if (blocklist.has(blobId)) throw forbiddenBlob();
    const size = await orUnavailable(node.registeredSize(blobId));
    if (size === undefined) throw notRegistered();
    if (size > maxSliverBlobBytes) throw tooLargeForSlivers(maxSliverBlobBytes);
    return size;
  }

  /** The metadata that a blob's slivers are checked against: of an upload in progress, or of the stored blob. */
  async function knownMetadata(blobId: string): Promise<MetadataFields> {
    const upload = uploads.get(blobId);
    if (upload !== undefined) return upload;
    await requireRegistered(blobId);
    const stored = await storage.find(blobId);
    if (stored === undefined) throw missingMetadata();
    return { size: stored.size, sliverHashes: await slivers.hashes(stored) };
  }

  async function isStored(blobId: string): Promise<boolean> {
    if ((await storage.find(blobId)) === undefined) return false;
    return (await orUnavailable(node.registeredSize(blobId))) !== undefined;
  }

  return {
    members,
    nShards,

    async metadata(blobId) {
      const blob = await requireServed(blobId, metadataNotFound);
      const sliverHashes = await slivers.hashes(blob);
      if (identityOfHashes(blob.size, sliverHashes, { nShards }).blobId !== blobId)
        throw internalError(new BlobDamagedError(`the content of ${blobId} has another blob id`));
      return encodeMetadata(Buffer.from(blobId, 'base64url'), { size: blob.size, sliverHashes });
    },

    async storeMetadata(blobId, body) {
      const size = await requireRegistered(blobId);
      const metadata = readAs(invalidMetadata, () => decodeMetadata(body, nShards));
      if (metadata.size !== size) throw invalidMetadata('the blob was registered with another length');
      if (identityOfHashes(size, metadata.sliverHashes, { nShards }).blobId !== blobId)
        throw invalidMetadata('the hashes are those of another blob');
      if ((await storage.find(blobId)) !== undefined) return;
      if ((await uploads.begin(blobId, metadata)) === undefined) throw tooManyUploads();
    },

    async metadataStatus(blobId) {
      return uploads.get(blobId) !== undefined || (await isStored(blobId)) ? 'Stored' : 'Nonexistent';
    },

    async sliver(name) {
      requireAssigned(name);
      const blob = await requireServed(name.blobId, sliverNotFound);
      // `@mysten/walrus` 1.2 reads secondary slivers to find one file of a quilt, and returns zeros for the end of
      // a file that crosses a column. Without secondary slivers it reads the whole quilt, correctly.
      if (name.kind === 'secondary') throw sliverNotFound();
      return slivers.primary(blob, name.pair);
    },

    async sliverBytes(name) {
      requireAssigned(name);
      const { size } = await knownMetadata(name.blobId);
      return sliverShape(name.kind, size, nShards).totalBytes;
    },

    async storeSliver({ blobId, kind, pair }, body) {
      const { size, sliverHashes } = await knownMetadata(blobId);
      const shape = sliverShape(kind, size, nShards);
      const data = readAs(invalidSliver, () => decodeSliver(body, shape, pair, nShards));
      const place = 64 * pair + (kind === 'primary' ? 0 : 32);
      const expected = sliverHashes.subarray(place, place + 32);
      if (!Buffer.from(expected).equals(sliverHash(data, kind, nShards)))
        throw invalidSliver('its hash is not that of the metadata');
      await uploads.get(blobId)?.put(kind, pair, data);
    },

    async sliverStatus(name) {
      requireAssigned(name);
      const upload = uploads.get(name.blobId);
      const has = upload?.has(name.kind, name.pair) ?? (await isStored(name.blobId));
      return has ? 'Stored' : 'Nonexistent';
    },

    status: (blobId) => orUnavailable(node.status(blobId)),

    async confirm(member, blobId, deletableObject) {
      const look = () => orUnavailable(node.registration(blobId, deletableObject));
      if (blocklist.has(blobId)) throw forbiddenBlob();
      if ((await look()) === undefined) throw notRegistered();
      const upload = uploads.get(blobId);
      if ((await storage.find(blobId)) === undefined) {
        const pairs = pairsOf(member, blobId);
        const hasAll = pairs.every((pair) => upload?.has('primary', pair) && upload.has('secondary', pair));
        if (upload === undefined || !hasAll) throw missingSlivers();
        if (upload.primaryCount() >= rows) {
          const isConsistent = await completeUpload(context, parts, upload);
          if (!isConsistent) throw inconsistentBlob();
        }
      }
      const fault = await faults.meetStore(blobId);
      await fault.beforeCertificate();
      if (fault.leavesUncertified) throw insufficientConfirmations();
      // Read again after the bytes are stored, because the blob may have expired or been deleted in the meantime.
      const registration = await look();
      if (registration === undefined) throw notRegistered();
      return node.confirmAs(member.index, registration);
    },
  };
}

/** Returns the result of `read` and turns its errors into refusals of the body. */
function readAs<T>(refuse: (why: string) => Error, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw refuse((error as Error).message);
  }
}
