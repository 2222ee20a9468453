import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { SliverKind } from '@memrelay/blob-id/sliver-hash';
import { sourceMatrix } from '@memrelay/blob-id/source/matrix';
import { namingDiskErrors } from '../storage/disk-errors.ts';
import type { MetadataFields } from './sliver-wire.ts';
import { sliverShape } from './sliver-wire.ts';

/**
 * A blob that a client is sending sliver by sliver. Accepts only verified slivers. Primary slivers are written to a
 * file at the positions of their rows; as the source matrix comes first, its rows are the content. Secondary
 * slivers are counted and dropped, because they can be computed from the content.
 */
export interface SliverUpload extends MetadataFields {
  blobId: string;
  has(kind: SliverKind, pair: number): boolean;
  /** Takes the symbols of a verified sliver. */
  put(kind: SliverKind, pair: number, data: Uint8Array): Promise<void>;
  /**
   * Number of primary slivers received. The content can be decoded once there are as many as the matrix has rows.
   */
  primaryCount(): number;
  /** Whether the content can be read from the file as it is. */
  isWhole(): boolean;
  /** Resolves when `isWhole`, or after `patienceMs`. */
  settled(patienceMs: number): Promise<void>;
  /** The content, once `isWhole`. */
  content(): AsyncIterable<Uint8Array>;
  /** Up to `count` primary slivers with their pairs. */
  primarySlivers(count: number): Promise<{ pair: number; data: Uint8Array }[]>;
  /** Runs `work` once for all callers, and again only after a failure. */
  once(work: () => Promise<void>): Promise<void>;
  /** Further slivers are ignored. */
  close(): Promise<void>;
}

export interface SliverUploads {
  get(blobId: string): SliverUpload | undefined;
  /** The upload of a blob, started if it does not exist; undefined if there is no space for another. */
  begin(blobId: string, metadata: MetadataFields): Promise<SliverUpload | undefined>;
  /** Forgets an upload and its file. */
  end(blobId: string): Promise<void>;
  close(): Promise<void>;
}

/** Maximum disk space of all unfinished uploads, in bytes */
const roomBytes = 512 * 2 ** 20;
const maxUploads = 256;
/** How long an inactive upload is kept */
const idleMs = 10 * 60_000;
const lookMs = 60_000;

interface Entry {
  upload: SliverUpload;
  reservedBytes: number;
  path: string;
  usedAtMs: number;
}

/**
 * Opens the uploads below `directory`, after emptying it. Uploads that are lost in a restart cannot have a
 * certificate: a node confirms a blob without its content only while fewer rows have arrived than the content has,
 * which is a third of the shards, but a quorum of nodes receives more rows than that.
 */
export async function openSliverUploads(directory: string, nShards: number): Promise<SliverUploads> {
  await rm(directory, { recursive: true, force: true });
  const entries = new Map<string, Entry>();
  const starting = new Map<string, Promise<Entry>>();
  let reserved = 0;

  async function forget(blobId: string): Promise<void> {
    const entry = entries.get(blobId);
    if (entry === undefined) return;
    entries.delete(blobId);
    reserved -= entry.reservedBytes;
    await entry.upload.close();
    await rm(entry.path, { force: true });
  }

  async function forgetIdle(): Promise<void> {
    const before = performance.now() - idleMs;
    for (const [blobId, { usedAtMs }] of [...entries]) if (usedAtMs < before) await forget(blobId);
  }

  const timer = setInterval(() => void forgetIdle().catch(() => undefined), lookMs).unref();

  async function start(blobId: string, metadata: MetadataFields, reservedBytes: number): Promise<Entry> {
    const path = join(directory, randomUUID());
    try {
      const handle = await namingDiskErrors(async () => {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        return open(path, 'wx+', 0o600);
      });
      const upload = createUpload(blobId, metadata, nShards, path, handle);
      const entry = { upload, reservedBytes, path, usedAtMs: performance.now() };
      entries.set(blobId, entry);
      return entry;
    } catch (error) {
      reserved -= reservedBytes;
      throw error;
    } finally {
      starting.delete(blobId);
    }
  }

  return {
    get(blobId) {
      const entry = entries.get(blobId);
      if (entry !== undefined) entry.usedAtMs = performance.now();
      return entry?.upload;
    },

    async begin(blobId, metadata) {
      const known = entries.get(blobId) ?? (await starting.get(blobId));
      if (known !== undefined) return known.upload;
      const reservedBytes = nShards * sliverShape('primary', metadata.size, nShards).dataBytes;
      if (entries.size + starting.size >= maxUploads || reserved + reservedBytes > roomBytes)
        return undefined;
      reserved += reservedBytes;
      const started = start(blobId, metadata, reservedBytes);
      starting.set(blobId, started);
      return (await started).upload;
    },

    end: forget,

    async close() {
      clearInterval(timer);
      for (const blobId of [...entries.keys()]) await forget(blobId);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function createUpload(
  blobId: string,
  metadata: MetadataFields,
  nShards: number,
  path: string,
  handle: FileHandle,
): SliverUpload {
  const { rows } = sourceMatrix(nShards);
  let isClosed = false;
  const { dataBytes } = sliverShape('primary', metadata.size, nShards);
  const received = { primary: new Set<number>(), secondary: new Set<number>() };
  const whole = Promise.withResolvers<void>();
  let sources = 0;
  let working: Promise<void> | undefined;

  return {
    ...metadata,
    blobId,
    has: (kind, pair) => received[kind].has(pair),

    async put(kind, pair, data) {
      // Slivers for other nodes may still arrive after the content is complete.
      if (isClosed || received[kind].has(pair)) return;
      if (kind === 'primary') {
        await namingDiskErrors(() => handle.write(data, 0, data.byteLength, pair * dataBytes));
      }
      if (received[kind].has(pair)) return;
      received[kind].add(pair);
      if (kind === 'primary' && pair < rows) sources += 1;
      if (sources === rows) whole.resolve();
    },

    primaryCount: () => received.primary.size,
    isWhole: () => sources === rows,

    async settled(patienceMs) {
      const patience = Promise.withResolvers<void>();
      const timer = setTimeout(patience.resolve, patienceMs);
      await Promise.race([whole.promise, patience.promise]);
      clearTimeout(timer);
    },

    content: () =>
      metadata.size === 0
        ? Readable.from([])
        : (createReadStream(path, { end: metadata.size - 1 }) as AsyncIterable<Uint8Array>),

    async primarySlivers(count) {
      const pairs = [...received.primary].sort((a, b) => a - b).slice(0, count);
      return Promise.all(
        pairs.map(async (pair) => {
          const data = new Uint8Array(dataBytes);
          await handle.read(data, 0, dataBytes, pair * dataBytes);
          return { pair, data };
        }),
      );
    },

    close() {
      isClosed = true;
      return handle.close();
    },

    once(work) {
      working ??= work().catch((error: unknown) => {
        working = undefined;
        throw error;
      });
      return working;
    },
  };
}
