import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { blockBytes, openBlockDigests, sealBlockDigests } from '../block-digests.ts';
import type { Quarantine } from '../quarantine.ts';
import { stageBody } from '../staging.ts';
import {
  BlobDamagedError,
  type ByteRange,
  type Removable,
  type Storage,
  StorageUnavailableError,
  type StoredBlob,
} from '../storage.ts';
import type { Bucket } from './bucket.ts';
import {
  type ContentCopy,
  contentPrefix,
  copiesPrefix,
  newCopyKey,
  newestFirst,
  parseCopy,
} from './content-key.ts';

/** Number of blobs for which the location of a copy is cached. */
const rememberedCopies = 10_000;

export interface S3StorageOptions {
  bucket: Bucket;
  /** Local directory for uploads in progress; emptied at startup */
  directory: string;
  logger: Logger;
  /**
   * Minimum age of a copy, in milliseconds, before a sweep of any instance may consider it unneeded. A store relies
   * on a copy that was young when checked, and fails when its object is not registered soon after (`holdMs`); so a
   * copy that an object needs was too young for every sweep that did not see the object. Half of the time is reserved
   * for clock differences.
   */
  graceMs: number;
}

/**
 * Blobs in a bucket that several instances share. Each store writes a copy under a new key, unless a recent one
 * exists; a sweep only removes keys that it has listed and checked, so it never removes a newer copy.
 */
export async function openS3Storage(options: S3StorageOptions): Promise<Storage> {
  const { bucket, logger, graceMs } = options;
  const holdMs = graceMs / 4;
  const incoming = join(options.directory, 'incoming');
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const known = new LRUCache<string, ContentCopy>({ max: rememberedCopies });
  const byDigest = new LRUCache<string, StoredBlob>({ max: rememberedCopies });

  function remember(copy: ContentCopy): void {
    known.set(copy.blob.blobId, copy);
    byDigest.set(copy.blob.digest, copy.blob);
  }

  async function copiesOf(blobId: string): Promise<ContentCopy[]> {
    const copies: ContentCopy[] = [];
    for await (const page of bucket.list(copiesPrefix(blobId))) {
      copies.push(...page.flatMap((key) => parseCopy(key) ?? []));
    }
    return copies.sort(newestFirst);
  }

  async function findCopy(blobId: string): Promise<ContentCopy | undefined> {
    const remembered = known.get(blobId);
    if (remembered !== undefined) return remembered;
    const [newest] = await copiesOf(blobId);
    if (newest !== undefined) remember(newest);
    return newest;
  }

  /** A cached copy may have been removed since, so a miss lists the copies again. */
  async function openContent(blob: StoredBlob, range?: ByteRange): Promise<Readable> {
    for (const attempt of ['remembered', 'listed']) {
      if (attempt === 'listed') known.delete(blob.blobId);
      const copy = await findCopy(blob.blobId);
      const found = copy && (await bucket.read(copy.key, range));
      if (found === undefined) continue;
      const expected = range === undefined ? blob.size : range.end - range.start + 1;
      if (found.length === expected) return found.stream;
      found.stream.destroy();
      throw new BlobDamagedError(`${expected} bytes of ${blob.blobId} are ${found.length} in the bucket`);
    }
    throw new StorageUnavailableError(`the bucket has no copy of ${blob.blobId}`);
  }

  function blocksKey(blobId: string): string {
    return `blocks/${blobId}`;
  }

  async function keepBlockDigests(blob: StoredBlob, digests: Buffer): Promise<void> {
    // A small blob is its only block.
    if (blob.size > blockBytes) {
      await bucket.put(blocksKey(blob.blobId), sealBlockDigests(blob.digest, digests));
    }
  }

  /** The copies with a prefix, grouped by blob. */
  async function* copiesByBlob(prefix: string): AsyncGenerator<ContentCopy[]> {
    let group: ContentCopy[] = [];
    for await (const page of bucket.list(prefix)) {
      for (const copy of page.flatMap((key) => parseCopy(key) ?? [])) {
        if (group.length > 0 && group[0]!.blob.blobId !== copy.blob.blobId) {
          yield group;
          group = [];
        }
        group.push(copy);
      }
    }
    if (group.length > 0) yield group;
  }

  function removable(copies: ContentCopy[]): Removable {
    const { blobId, digest } = copies[0]!.blob;
    return {
      blobId,
      async remove() {
        known.delete(blobId);
        byDigest.delete(digest);
        await bucket.remove([...copies.map(({ key }) => key), blocksKey(blobId)]);
      },
    };
  }

  async function abortStaleUploads(): Promise<void> {
    try {
      await bucket.abortUploads(contentPrefix, Date.now() - graceMs);
    } catch (error) {
      // Not offered by every server; a lifecycle rule of the bucket does the same.
      logger.warn({ err: error }, 'search for interrupted uploads failed');
    }
  }

  return {
    holdMs,

    stage: (body, limitBytes) => stageBody(incoming, body, limitBytes),

    // Buckets have their own limits.
    reserve: () => undefined,

    async commit({ path, size, digest, blockDigests }, identity) {
      const blob = { ...identity, size, digest };
      const youngFromMs = Date.now() - holdMs;
      const copies = await copiesOf(blob.blobId);
      const young = copies.find((copy) => copy.modifiedAtMs > youngFromMs && copy.blob.digest === digest);
      if (young !== undefined) {
        remember(young);
        return blob;
      }
      const key = newCopyKey(blob);
      await bucket.upload(key, path);
      await keepBlockDigests(blob, blockDigests);
      remember({ key, blob, modifiedAtMs: Date.now() });
      return blob;
    },

    discard: ({ path }) => rm(path, { force: true }),

    async find(blobId) {
      return (await findCopy(blobId))?.blob;
    },

    async findByDigest(digest) {
      return byDigest.get(digest);
    },

    async *removable({ blobId, mayRemove }) {
      if (blobId === undefined && mayRemove) await abortStaleUploads();
      const oldBeforeMs = Date.now() - graceMs;
      const prefix = blobId === undefined ? contentPrefix : copiesPrefix(blobId);
      for await (const copies of copiesByBlob(prefix)) {
        const [newest, ...older] = copies.sort(newestFirst);
        const surplus = older.filter(({ modifiedAtMs }) => modifiedAtMs < oldBeforeMs);
        if (surplus.length > 0 && mayRemove) {
          known.delete(newest!.blob.blobId);
          await bucket.remove(surplus.map(({ key }) => key));
        }
        if (newest!.modifiedAtMs < oldBeforeMs) yield removable([newest!]);
      }
    },

    read: openContent,

    readAll: async (blob, range) => buffer(await openContent(blob, range)),

    async withFile(blob, use) {
      const path = join(incoming, randomUUID());
      try {
        await pipeline(await openContent(blob), createWriteStream(path, { mode: 0o600 }));
        return await use(path);
      } finally {
        await rm(path, { force: true });
      }
    },

    async blockDigests(blob) {
      if (blob.size <= blockBytes) return Buffer.from(blob.digest, 'base64url');
      const sealed = await bucket.get(blocksKey(blob.blobId));
      return sealed && openBlockDigests(blob, sealed);
    },

    keepBlockDigests,

    quarantine: openBucketQuarantine(bucket),

    close: () => rm(incoming, { recursive: true, force: true }),
  };
}

const prefix = 'quarantine/';

/**
 * A quarantine that instances share: one empty key per blob, whose modification time is the start of its
 * quarantine.
 */
function openBucketQuarantine(bucket: Bucket): Quarantine {
  return {
    async list() {
      const entries = new Map<string, number>();
      for await (const page of bucket.list(prefix)) {
        for (const { key, modifiedAtMs } of page) entries.set(key.slice(prefix.length), modifiedAtMs);
      }
      return entries;
    },
    async add(blobIds) {
      for (const blobId of blobIds) await bucket.put(prefix + blobId, '');
    },
    drop: (blobIds) => bucket.remove(blobIds.map((blobId) => prefix + blobId)),
  };
}
