import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { replaceFile } from './durable-file.ts';
import { objectsName, parseObjectName } from './object-file.ts';

/** The settings that a data directory belongs to. With other values its blobs would be unreadable or be swept. */
export interface DirectoryIdentity {
  /** Number of shards; blob ids depend on it */
  shards: number;
  /** Identifier of the chain whose objects keep the blobs; absent with a local registry */
  chainId?: string;
  /** The bucket with the blobs; absent if they are in the directory */
  bucket?: string;
}

interface Description extends DirectoryIdentity {
  format: number;
}

function pathOf(directory: string): string {
  return join(directory, 'store.json');
}

/**
 * The identity of a data directory; undefined for a new one. Throws a plain error if it contains blobs and its
 * identity is missing or damaged, because with a wrong identity the blobs would be swept.
 */
export async function readIdentity(directory: string): Promise<DirectoryIdentity | undefined> {
  let text: string;
  try {
    text = await readFile(pathOf(directory), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (await holdsBlobs(directory)) throw new Error(restore(directory, 'missing, although there are blobs'));
    return undefined;
  }
  const { format, ...identity } = parse(text) ?? {};
  if (format === undefined || identity.shards === undefined) throw new Error(restore(directory, 'damaged'));
  if (format !== 1) throw new Error(`${pathOf(directory)} was written by a newer version of this program`);
  return { ...identity, shards: identity.shards };
}

function parse(text: string): Partial<Description> | undefined {
  try {
    return JSON.parse(text) as Partial<Description>;
  } catch {
    return undefined;
  }
}

function restore(directory: string, state: string): string {
  return (
    `${pathOf(directory)} is ${state}: restore it from a backup, or write {"format":1,"shards":N} there with the ` +
    'number of shards that the blobs were stored for'
  );
}

async function holdsBlobs(directory: string): Promise<boolean> {
  try {
    const names = await readdir(join(directory, objectsName), { recursive: true });
    return names.some((name) => parseObjectName(basename(name)) !== undefined);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Throws an error that names the setting to change if the identity of a directory does not match the settings. */
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
