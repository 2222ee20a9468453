import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { BlobIndex } from './blob-index.ts';
import { openBlockFiles } from './block-files.ts';
import { namingDiskErrors } from './disk-errors.ts';
import { syncDirectory, syncWithParents } from './durable-file.ts';
import { folderNames, folderOf, objectPath, objectsName, parseObjectName } from './object-file.ts';
import { openQuarantineFile } from './quarantine.ts';
import { stageBody } from './staging.ts';
import {
  BlobDamagedError,
  type ByteRange,
  type Storage,
  type StoredBlob,
  type StoredContent,
  StoreLimitError,
} from './storage.ts';

const readChunkBytes = 256 * 1024;
/**
 * File systems record times with a resolution of some milliseconds, so the second of two changes in quick
 * succession may not be visible.
 */
const settledMs = 1000;

async function prepareFolders(objects: string, incoming: string): Promise<void> {
  // Partially received bodies from before a crash were never acknowledged.
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  for (const folder of folderNames) await mkdir(join(objects, folder), { recursive: true, mode: 0o700 });
  await syncWithParents(objects);
}

/**
 * The index is read from the file names at every start, so it always matches the folder. The content of a file is
 * verified when it is read.
 */
async function buildIndex(objects: string, logger: Logger): Promise<BlobIndex> {
  const index = new BlobIndex();
  for (const folder of folderNames) {
    for (const entry of await readdir(join(objects, folder), { withFileTypes: true })) {
      const { name } = entry;
      const blob = entry.isFile() ? parseObjectName(name) : undefined;
      if (blob === undefined || folderOf(blob) !== folder) {
        logger.warn({ folder, name }, 'ignored a file in the blob folder that is not a blob of this folder');
      } else if (index.find('blobId', blob.blobId) !== undefined) {
        logger.warn({ folder, name }, 'ignored a second file with the same blob id');
      } else index.set(blob);
    }
  }
  return index;
}

async function readFully(
  handle: FileHandle,
  blob: StoredBlob,
  { start, end }: ByteRange,
  target?: Buffer,
): Promise<Buffer> {
  const length = end - start + 1;
  const bytes = target?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length);
  for (let filled = 0; filled < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) throw new BlobDamagedError(`${blob.blobId} became shorter while it was read`);
    filled += bytesRead;
  }
  return bytes;
}

export interface DiskStorage extends Storage {
  content: StoredContent;
}

/**
 * Stores blobs as files below `directory`. The caller must hold the lock on that directory, because two processes
 * would delete each other's partially received files.
 */
export async function openDiskStorage(
  directory: string,
  logger: Logger,
  maxStoreBytes = Number.POSITIVE_INFINITY,
): Promise<DiskStorage> {
  const objects = join(directory, objectsName);
  const incoming = join(directory, 'incoming');
  await prepareFolders(objects, incoming);
  const index = await buildIndex(objects, logger);
  const blocks = await openBlockFiles(join(directory, 'blocks'), incoming, {
    has: (digest) => index.find('digest', digest) !== undefined,
  });

  const quarantine = await openQuarantineFile(join(directory, 'quarantine.json'));

  async function openChecked(blob: StoredBlob) {
    const handle = await open(objectPath(objects, blob), 'r');
    try {
      const { size, ino, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
      if (size !== BigInt(blob.size))
        throw new BlobDamagedError(`a blob of ${blob.size} bytes has ${size} bytes on disk`);
      const isSettled = Date.now() - Number(ctimeNs / 1_000_000n) > settledMs;
      return { handle, stamp: isSettled ? `${ino} ${mtimeNs} ${ctimeNs}` : undefined };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async function remove(blobId: string): Promise<void> {
    const blob = index.find('blobId', blobId);
    if (blob === undefined) return;
    index.delete(blobId);
    await rm(objectPath(objects, blob), { force: true });
    await blocks.remove(blob);
  }

  /** Paths of staged files that are still in `incoming` */
  const staged = new Set<string>();
  /** Reserved bytes, by path of the staged file */
  const reserved = new Map<string, number>();
  let reservedBytes = 0;

  function release(path: string): void {
    reservedBytes -= reserved.get(path) ?? 0;
    reserved.delete(path);
  }

  return {
    holdMs: Number.POSITIVE_INFINITY,

    async stage(body, limitBytes) {
      const received = await stageBody(incoming, body, limitBytes);
      staged.add(received.path);
      return received;
    },

    reserve({ path, size, digest }) {
      if (index.find('digest', digest) !== undefined) return;
      if (index.totalBytes + reservedBytes + size > maxStoreBytes) throw new StoreLimitError(maxStoreBytes);
      release(path);
      reserved.set(path, size);
      reservedBytes += size;
    },

    commit: ({ path, size, digest, blockDigests }, identity) =>
      namingDiskErrors(async () => {
        const blob = { ...identity, size, digest };
        await blocks.write(blob, blockDigests);
        const target = objectPath(objects, blob);
        await rename(path, target);
        staged.delete(path);
        // From here on a sweep considers the file, even if the sync below fails.
        index.set(blob);
        release(path);
        await syncDirectory(dirname(target));
        return blob;
      }),

    async discard({ path }) {
      release(path);
      if (staged.delete(path)) await rm(path, { force: true });
    },

    async find(blobId) {
      return index.find('blobId', blobId);
    },

    async findByDigest(digest) {
      return index.find('digest', digest);
    },

    async *removable({ blobId: only }) {
      for (const blobId of only === undefined ? index.blobIds() : [only])
        yield { blobId, remove: () => remove(blobId) };
    },

    async read(blob, range) {
      const { handle } = await openChecked(blob);
      return handle.createReadStream({ ...range, highWaterMark: readChunkBytes });
    },

    async readAll(blob, range = { start: 0, end: blob.size - 1 }) {
      const { handle } = await openChecked(blob);
      try {
        return await readFully(handle, blob, range);
      } finally {
        await handle.close();
      }
    },

    async open(blob) {
      const { handle, stamp } = await openChecked(blob);
      return {
        stamp,
        read: (range, target) => readFully(handle, blob, range, target),
        close: () => handle.close(),
      };
    },

    withFile: (blob, use) => use(objectPath(objects, blob)),

    blockDigests: blocks.read,

    keepBlockDigests: blocks.write,

    quarantine,

    content: {
      *blobs() {
        for (const blobId of index.blobIds()) {
          const blob = index.find('blobId', blobId);
          if (blob !== undefined) yield blob;
        }
      },
      has: (blobId) => index.find('blobId', blobId) !== undefined,
    },

    async close() {
      await rm(incoming, { recursive: true, force: true });
    },
  };
}
