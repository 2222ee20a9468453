import { join } from 'node:path';
import { isBlobId } from '../base/ids.ts';
import type { StoredBlob } from './storage.ts';

/**
 * A stored blob is one file whose name has all of its metadata: `<size>.<blob id>.<root hash>.<sha-256>`. A rename
 * therefore publishes content and metadata in one step, and the index is a directory listing.
 */

/** Folder of the files, below the data directory. */
export const objectsName = 'objects';

/** 256 folders by the first byte of the digest, so that no directory grows without bound. */
export const folderNames: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);

export function folderOf(blob: Pick<StoredBlob, 'digest'>): string {
  return Buffer.from(blob.digest, 'base64url').subarray(0, 1).toString('hex');
}

export function objectPath(root: string, blob: StoredBlob): string {
  return join(root, folderOf(blob), `${blob.size}.${blob.blobId}.${blob.rootHash}.${blob.digest}`);
}

/** Parses a file name; undefined if it is not a name of a blob. */
export function parseObjectName(name: string): StoredBlob | undefined {
  const [size, blobId, rootHash, digest, ...rest] = name.split('.');
  if (rest.length > 0 || blobId === undefined || rootHash === undefined || digest === undefined) {
    return undefined;
  }
  const all32Bytes = [blobId, rootHash, digest].every(isBlobId);
  if (!all32Bytes || !/^\d{1,15}$/.test(size ?? '')) return undefined;
  return { size: Number(size), blobId, rootHash, digest };
}
