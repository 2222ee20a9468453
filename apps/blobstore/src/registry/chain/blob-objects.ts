import type { ChainClient } from '@memrelay/chain/chain-client';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { type Blob, blobBcs, blobIdFromInteger } from '@memrelay/chain/walrus-bcs';
import type { BlobObject } from '../blob-registry.ts';

/** `certifiedEpoch` is null before the certificate. */
type ReadBlob = Omit<BlobObject, 'certifiedEpoch'> & { certifiedEpoch: number | null };

export interface ReadBlobObject {
  object: ReadBlob;
  ref: { objectId: string; version: string; digest: string };
}

/** Objects per read; full nodes take no more. */
const maxRead = 50;

function toBlobObject(blob: Blob): ReadBlob {
  const { storage } = blob;
  return {
    id: blob.id,
    registeredEpoch: blob.registered_epoch,
    blobId: blobIdFromInteger(blob.blob_id),
    size: Number(blob.size),
    certifiedEpoch: blob.certified_epoch,
    storage: {
      id: storage.id,
      startEpoch: storage.start_epoch,
      endEpoch: storage.end_epoch,
      storageSize: Number(storage.storage_size),
    },
    deletable: blob.deletable,
  };
}

/** Blob objects by their ids, in the given order. Throws when one is missing. */
export async function readBlobObjects(chain: ChainClient, ids: string[]): Promise<ReadBlobObject[]> {
  const read: ReadBlobObject[] = [];
  for (let start = 0; start < ids.length; start += maxRead) {
    const objectIds = ids.slice(start, start + maxRead);
    const { objects } = await chain.call((sui, signal) =>
      sui.core.getObjects({ objectIds, include: { content: true }, signal }),
    );
    for (const object of objects) {
      if (object instanceof Error)
        throw new ChainRejectedError('a blob object is missing', { cause: object });
      const { objectId, version, digest } = object;
      read.push({ object: toBlobObject(blobBcs.parse(object.content)), ref: { objectId, version, digest } });
    }
  }
  return read;
}

/** Ids of all Blob objects that an address owns. */
export async function listOwnedBlobs(
  chain: ChainClient,
  packageId: string,
  owner: string,
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await chain.call((sui, signal) =>
      sui.core.listOwnedObjects({ owner, type: `${packageId}::blob::Blob`, cursor, signal }),
    );
    ids.push(...page.objects.map(({ objectId }) => objectId));
    cursor = page.hasNextPage ? page.cursor : null;
  } while (cursor !== null);
  return ids;
}
