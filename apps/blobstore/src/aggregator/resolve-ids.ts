import { isBlobId, parseObjectId } from '../base/ids.ts';
import { neitherId, objectNotResolved } from '../base/read-errors.ts';
import type { BlobAttributes } from '../registry/blob-registry.ts';
import type { StoredBlob } from '../storage/storage.ts';
import { type FindParts, findReadable, orUnavailable } from './find-readable.ts';

export interface ResolvedIds {
  /** In the order of the ids, including duplicates */
  blobs: StoredBlob[];
  /** The object of the first id, if that is an object id */
  attributes: BlobAttributes;
}

/**
 * The blobs of blob ids and object ids. The real aggregator only finds out while streaming whether they exist; here
 * all are readable when this resolves. Throws the error of the first that is not.
 */
export async function resolveIds(parts: FindParts, ids: readonly string[]): Promise<ResolvedIds> {
  const found = new Map<string, StoredBlob>();
  let firstAttributes: BlobAttributes = {};

  async function resolve(id: string, position: number): Promise<StoredBlob> {
    if (isBlobId(id)) return findReadable(parts, id);
    const objectId = parseObjectId(id);
    if (objectId === undefined) throw neitherId(position);
    const object = await orUnavailable(parts.registry.find(objectId));
    if (object === undefined) throw objectNotResolved(objectId);
    if (position === 1) firstAttributes = object.attributes;
    return findReadable(parts, object.blobId);
  }

  const blobs: StoredBlob[] = [];
  for (const [index, id] of ids.entries()) {
    const blob = found.get(id) ?? (await resolve(id, index + 1));
    found.set(id, blob);
    blobs.push(blob);
  }
  return { blobs, attributes: firstAttributes };
}
