import { randomBytes } from 'node:crypto';
import { isBlobId } from '../../base/ids.ts';
import type { StoredBlob } from '../storage.ts';
import type { BucketKey } from './bucket.ts';

/** One copy of a blob's content. Its key has all of its metadata and is never written twice. */
export interface ContentCopy {
  key: string;
  blob: StoredBlob;
  modifiedAtMs: number;
}

export const contentPrefix = 'content/';

export function copiesPrefix(blobId: string): string {
  return `${contentPrefix}${blobId}/`;
}

/** A key for a new copy: `content/<blob id>/<size>.<root hash>.<sha-256>.<random>`. */
export function newCopyKey({ blobId, size, rootHash, digest }: StoredBlob): string {
  return `${copiesPrefix(blobId)}${size}.${rootHash}.${digest}.${randomBytes(16).toString('base64url')}`;
}

/** Parses the key of a copy; undefined for any other key. */
export function parseCopy({ key, modifiedAtMs }: BucketKey): ContentCopy | undefined {
  const match = /^content\/([^/]+)\/(\d{1,15})\.([^./]+)\.([^./]+)\.[^./]+$/.exec(key);
  if (match === null) return undefined;
  const [, blobId, size, rootHash, digest] = match as unknown as [string, string, string, string, string];
  if (![blobId, rootHash, digest].every(isBlobId)) return undefined;
  return { key, modifiedAtMs, blob: { blobId, size: Number(size), rootHash, digest } };
}

/** Sorts the newest copy first. All instances use this order. */
export function newestFirst(a: ContentCopy, b: ContentCopy): number {
  return b.modifiedAtMs - a.modifiedAtMs || (a.key < b.key ? 1 : -1);
}
