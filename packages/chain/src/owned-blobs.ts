import type { ChainClient } from './chain-client.ts';
import { ownedObjects } from './owned-objects.ts';
import { blobBcs, blobIdFromInteger } from './walrus-bcs.ts';
import type { WalrusNetwork } from './walrus-network.ts';

/** A blob object of somebody's. Epochs are Walrus epochs, sizes bytes. */
export interface OwnedBlob {
  objectId: string;
  /** Base64url, 43 characters */
  blobId: string;
  size: number;
  /** First epoch in which it is gone */
  endEpoch: number;
  certified: boolean;
  deletable: boolean;
}

/**
 * The blob objects that `owner` holds, 50 in one call, in the chain's own order. Throws `ChainUnavailableError` and
 * `ChainRejectedError` while it is iterated.
 */
export async function* ownedBlobs(
  chain: ChainClient,
  { blobType }: Pick<WalrusNetwork, 'blobType'>,
  owner: string,
): AsyncGenerator<OwnedBlob> {
  for await (const { objectId, content } of ownedObjects(chain, { owner, type: blobType })) {
    const blob = blobBcs.parse(content);
    yield {
      objectId,
      blobId: blobIdFromInteger(blob.blob_id),
      size: Number(blob.size),
      endEpoch: blob.storage.end_epoch,
      certified: blob.certified_epoch !== null,
      deletable: blob.deletable,
    };
  }
}
