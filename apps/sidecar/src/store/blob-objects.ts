import type { ChainClient } from '@memrelay/chain/chain-client';
import { type OwnedBlob, ownedBlobs, ownedBlobsPage, readBlobObjects } from '@memrelay/chain/owned-blobs';
import { readSystemObject, readSystemState, type WalrusSystemObject } from '@memrelay/chain/walrus-system';
import type { OwnedBlobsRequest, OwnedBlobsResponse } from '@memrelay/protocol/owned-blobs';
import type { StoreObjectsRequest, StoreObjectsResponse } from '@memrelay/protocol/sidecar-api';

interface BlobNetwork {
  system: WalrusSystemObject;
  blobType: string;
}

async function readNetwork(chain: ChainClient, systemObjectId: string): Promise<BlobNetwork> {
  const system = await readSystemObject(chain, systemObjectId);
  return { system, blobType: `${system.typePackageId}::blob::Blob` };
}

/**
 * Reads blob objects from the chain: the ones with these ids, and the ones that an address owns (of the given blobs, or
 * all). The latter pages through everything that the address owns. Throws the chain's errors.
 */
export async function describeObjects(
  chain: ChainClient,
  systemObjectId: string,
  { object_ids, owned }: StoreObjectsRequest,
): Promise<StoreObjectsResponse> {
  const network = await readNetwork(chain, systemObjectId);
  const [state, requested, ownedObjects] = await Promise.all([
    readSystemState(chain, network.system),
    readBlobObjects(chain, network, [...new Set(object_ids)]),
    owned ? ownedBy(chain, network, owned.owner, owned.blob_ids && new Set(owned.blob_ids)) : [],
  ]);
  const byObjectId = new Map([...requested, ...ownedObjects].map((blob) => [blob.objectId, blob]));
  return {
    epoch: state.committee.epoch,
    objects: [...byObjectId.values()].map(({ objectId, blobId, endEpoch, certified }) => ({
      object_id: objectId,
      blob_id: blobId,
      end_epoch: endEpoch,
      certified,
    })),
  };
}

async function ownedBy(
  chain: ChainClient,
  network: BlobNetwork,
  owner: string,
  blobIds: ReadonlySet<string> | undefined,
): Promise<OwnedBlob[]> {
  const owned: OwnedBlob[] = [];
  for await (const blob of ownedBlobs(chain, network, owner))
    if (!blobIds || blobIds.has(blob.blobId)) owned.push(blob);
  return owned;
}

/** One page of the certified blob objects that an address owns. Throws the chain's errors. */
export async function ownedPage(
  chain: ChainClient,
  systemObjectId: string,
  { owner, cursor }: OwnedBlobsRequest,
): Promise<OwnedBlobsResponse> {
  const network = await readNetwork(chain, systemObjectId);
  const [state, page] = await Promise.all([
    readSystemState(chain, network.system),
    ownedBlobsPage(chain, network, owner, cursor ?? null),
  ]);
  return {
    epoch: state.committee.epoch,
    blobs: page.items.flatMap(({ objectId, blobId, size, endEpoch, certifiedEpoch }) =>
      certifiedEpoch === null
        ? []
        : {
            object_id: objectId,
            blob_id: blobId,
            size,
            end_epoch: endEpoch,
            certified_epoch: certifiedEpoch,
          },
    ),
    ...(page.cursor === null ? {} : { cursor: page.cursor }),
  };
}
