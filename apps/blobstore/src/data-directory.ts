import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from './storage/durable-file.ts';

/** What a data directory was made for. Another value would make its blobs unreadable, or have them swept. */
export interface DirectoryIdentity {
  /** Blob ids depend on it */
  shards: number;
  /** Identifier of the chain whose objects keep the blobs; absent with a registry of its own */
  chainId?: string;
  /** Where the blobs are when they are not in the directory */
  bucket?: string;
}

interface Description extends DirectoryIdentity {
  format: 1;
}

function pathOf(directory: string): string {
  return join(directory, 'store.json');
}

/** The identity that a data directory was given; undefined for one that never held blobs. */
export async function readIdentity(directory: string): Promise<DirectoryIdentity | undefined> {
  let text: string;
  try {
    text = await readFile(pathOf(directory), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const { format, ...identity } = JSON.parse(text) as Description;
  if (format !== 1) throw new Error(`${pathOf(directory)} was written by a newer version of this program`);
  return identity;
}

/** Throws, naming the setting to change, when a directory is used for something else than it was made for. */
export function requireSameIdentity(
  directory: string,
  known: DirectoryIdentity,
  wanted: DirectoryIdentity,
): void {
  const otherwise = 'or choose another BLOBSTORE_DATA_DIR (--data-dir)';
  if (known.shards !== wanted.shards) {
    throw new Error(
      `${directory} holds blobs for ${known.shards} shards, not ${wanted.shards}: ` +
        `set BLOBSTORE_SHARDS (--shards) to that, ${otherwise}`,
    );
  }
  if (known.chainId !== wanted.chainId) {
    throw new Error(
      `${directory} holds blobs of ${known.chainId === undefined ? 'no chain' : `the chain ${known.chainId}`}: ` +
        `set BLOBSTORE_CHAIN_URL (--chain-url) accordingly, ${otherwise}`,
    );
  }
  if (known.bucket !== wanted.bucket) {
    throw new Error(
      `${directory} belongs to blobs ${known.bucket === undefined ? 'of its own' : `in ${known.bucket}`}: ` +
        `set BLOBSTORE_S3_BUCKET (--s3-bucket) and BLOBSTORE_S3_PREFIX accordingly, ${otherwise}`,
    );
  }
}

export async function writeIdentity(directory: string, identity: DirectoryIdentity): Promise<void> {
  const description: Description = { format: 1, ...identity };
  await replaceFile(pathOf(directory), `${JSON.stringify(description)}\n`);
}
