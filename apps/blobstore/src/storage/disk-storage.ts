import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { openBlockFiles } from './block-files.ts';
import { syncDirectory } from './durable-file.ts';
import { folderNames, objectPath, parseObjectName } from './object-file.ts';
import { stageBody } from './staging.ts';
import { BlobDamagedError, type Storage, type StoredBlob } from './storage.ts';

const readChunkBytes = 256 * 1024;

async function prepareFolders(objects: string, incoming: string): Promise<void> {
  // Whatever a crash left half received was never acknowledged.
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  for (const folder of folderNames) await mkdir(join(objects, folder), { recursive: true, mode: 0o700 });
  await syncDirectory(objects);
  await syncDirectory(dirname(objects));
}

async function buildIndex(objects: string, logger: Logger): Promise<Map<string, StoredBlob>> {
  const index = new Map<string, StoredBlob>();
  for (const folder of folderNames) {
    for (const name of await readdir(join(objects, folder))) {
      const blob = parseObjectName(name);
      if (blob === undefined) logger.warn({ folder, name }, 'file in the blob folder with an unknown name');
      else index.set(blob.blobId, blob);
    }
  }
  return index;
}

/**
 * Blobs as files below `directory`. The caller holds the lock on that directory: two processes would delete
 * each other's half-received files.
 */
export async function openDiskStorage(directory: string, logger: Logger): Promise<Storage> {
  const objects = join(directory, 'objects');
  const incoming = join(directory, 'incoming');
  await prepareFolders(objects, incoming);
  const index = await buildIndex(objects, logger);
  const byDigest = new Map([...index.values()].map((blob) => [blob.digest, blob]));
  const blocks = await openBlockFiles(join(directory, 'blocks'), incoming, byDigest);

  async function openChecked(blob: StoredBlob) {
    const handle = await open(objectPath(objects, blob), 'r');
    const { size } = await handle.stat();
    if (size === blob.size) return handle;
    await handle.close();
    throw new BlobDamagedError(`a blob of ${blob.size} bytes has ${size} bytes on disk`);
  }

  /** Paths of staged files that are still in `incoming` */
  const staged = new Set<string>();

  return {
    async stage(body, limitBytes) {
      const received = await stageBody(incoming, body, limitBytes);
      staged.add(received.path);
      return received;
    },

    async commit({ path, size, digest, blockDigests }, identity) {
      const blob = { ...identity, size, digest };
      await blocks.write(blob, blockDigests);
      const target = objectPath(objects, blob);
      await rename(path, target);
      staged.delete(path);
      await syncDirectory(dirname(target));
      index.set(blob.blobId, blob);
      byDigest.set(digest, blob);
      return blob;
    },

    async discard({ path }) {
      if (staged.delete(path)) await rm(path, { force: true });
    },

    async find(blobId) {
      return index.get(blobId);
    },

    async findByDigest(digest) {
      return byDigest.get(digest);
    },

    async list() {
      return [...index.keys()];
    },

    async readAll(blob) {
      const handle = await openChecked(blob);
      try {
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    },

    async read(blob, range) {
      const handle = await openChecked(blob);
      return handle.createReadStream({ ...range, highWaterMark: readChunkBytes });
    },

    withFile: (blob, use) => use(objectPath(objects, blob)),

    blockDigests: blocks.read,

    keepBlockDigests: blocks.write,

    async remove(blobId) {
      const blob = index.get(blobId);
      if (blob === undefined) return;
      index.delete(blobId);
      byDigest.delete(blob.digest);
      await rm(objectPath(objects, blob), { force: true });
      await blocks.remove(blob);
    },

    async close() {
      await rm(incoming, { recursive: true, force: true });
    },
  };
}
