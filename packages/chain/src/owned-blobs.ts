import { ObjectError } from '@mysten/sui/client';
import { normalizeStructTag } from '@mysten/sui/utils';
import type { ChainClient } from './chain-client.ts';
import { ChainUnavailableError } from './chain-errors.ts';
import { type OwnedPage, ownedObjects, ownedObjectsPage } from './owned-objects.ts';
import { blobBcs, blobIdFromInteger } from './walrus-bcs.ts';
import type { WalrusNetwork } from './walrus-network.ts';

/** A blob object. Epochs are Walrus epochs, sizes are in bytes. */
export interface OwnedBlob {
  objectId: string;
  /** Base64url, 43 characters */
  blobId: string;
  size: number;
  /** First epoch in which the blob no longer exists */
  endEpoch: number;
  certified: boolean;
  /** Epoch in which it was certified; null if it is not certified */
  certifiedEpoch: number | null;
  deletable: boolean;
}

/**
 * The blob objects that `owner` owns, 50 per call, in the chain's order. Throws `ChainUnavailableError` and
 * `ChainRejectedError` during the iteration.
 */
export async function* ownedBlobs(
  chain: ChainClient,
  { blobType }: Pick<WalrusNetwork, 'blobType'>,
  owner: string,
): AsyncGenerator<OwnedBlob> {
  for await (const { objectId, content } of ownedObjects(chain, { owner, type: blobType })) {
    yield parseBlobObject(objectId, content);
  }
}

/** One page of `ownedBlobs`, after `cursor`; null is the first. Throws the same. */
export async function ownedBlobsPage(
  chain: ChainClient,
  { blobType }: Pick<WalrusNetwork, 'blobType'>,
  owner: string,
  cursor: string | null,
): Promise<OwnedPage<OwnedBlob>> {
  const page = await ownedObjectsPage(chain, { owner, type: blobType }, cursor);
  const items = page.items.map(({ objectId, content }) => parseBlobObject(objectId, content));
  return { ...page, items };
}

/** Maximum number of objects per read of the chain. */
const maxObjects = 50;

/**
 * Blob objects by id, regardless of their owner, 50 per call. Deleted objects and objects of other types are left
 * out. Throws `ChainUnavailableError` and `ChainRejectedError`.
 */
export async function readBlobObjects(
  chain: ChainClient,
  { blobType }: Pick<WalrusNetwork, 'blobType'>,
  ids: readonly string[],
): Promise<OwnedBlob[]> {
  const found: OwnedBlob[] = [];
  for (let start = 0; start < ids.length; start += maxObjects) {
    const objectIds = ids.slice(start, start + maxObjects);
    const { objects } = await chain.call((sui, signal) =>
      sui.core.getObjects({ objectIds, include: { content: true }, signal }),
    );
    for (const object of objects) {
      if (!(object instanceof Error)) {
        if (object.type === normalizeStructTag(blobType))
          found.push(parseBlobObject(object.objectId, object.content));
      } else if (!(object instanceof ObjectError) || object.reason === 'unknown')
        throw new ChainUnavailableError('an object could not be read', { cause: object });
    }
  }
  return found;
}

function parseBlobObject(objectId: string, content: Uint8Array): OwnedBlob {
  const blob = blobBcs.parse(content);
  return {
    objectId,
    blobId: blobIdFromInteger(blob.blob_id),
    size: Number(blob.size),
    endEpoch: blob.storage.end_epoch,
    certified: blob.certified_epoch !== null,
    certifiedEpoch: blob.certified_epoch,
    deletable: blob.deletable,
  };
}
