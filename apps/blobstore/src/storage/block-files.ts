import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { blockBytes, openBlockDigests, sealBlockDigests } from './block-digests.ts';
import { folderNames, folderOf } from './object-file.ts';

/** The properties of a blob that identify its block digests. */
export interface DigestedBlob {
  size: number;
  /** SHA-256 of the content, base64url */
  digest: string;
}

/**
 * Files with block digests, one for each blob of several blocks. They are not synced, because damage by a crash is
 * detected by their seal, and they can be recomputed from the content.
 */
export interface BlockFiles {
  /** The block digests of a blob; undefined if they are missing or damaged. */
  read(blob: DigestedBlob): Promise<Buffer | undefined>;
  write(blob: DigestedBlob, digests: Buffer): Promise<void>;
  remove(blob: DigestedBlob): Promise<void>;
}

/** `root` contains the files and `incoming` those being written. Removes files whose digest is not `known`. */
export async function openBlockFiles(
  root: string,
  incoming: string,
  known: { has(digest: string): boolean },
): Promise<BlockFiles> {
  for (const folder of folderNames) {
    await mkdir(join(root, folder), { recursive: true, mode: 0o700 });
    for (const name of await readdir(join(root, folder))) {
      if (!known.has(name)) await rm(join(root, folder, name));
    }
  }
  const pathOf = (blob: DigestedBlob): string => join(root, folderOf(blob), blob.digest);

  return {
    async read(blob) {
      // A small blob is its only block.
      if (blob.size <= blockBytes) return Buffer.from(blob.digest, 'base64url');
      try {
        return openBlockDigests(blob, await readFile(pathOf(blob)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },

    async write(blob, digests) {
      if (blob.size <= blockBytes) return;
      const path = join(incoming, randomUUID());
      await writeFile(path, sealBlockDigests(blob.digest, digests), { mode: 0o600 });
      await rename(path, pathOf(blob));
    },

    async remove(blob) {
      if (blob.size > blockBytes) await rm(pathOf(blob), { force: true });
    },
  };
}
