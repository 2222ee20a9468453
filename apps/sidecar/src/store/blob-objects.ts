import type { ChainClient } from '@memrelay/chain/chain-client';
import { type OwnedBlob, ownedBlobs, ownedBlobsPage, readBlobObjects } from '@memrelay/chain/owned-blobs';
import { readSystemObject, readSystemState } from '@memrelay/chain/walrus-system';
import type { OwnedBlobsRequest, OwnedBlobsResponse } from '@memrelay/protocol/owned-blobs';
import type { StoreObjectsRequest, StoreObjectsResponse } from '@memrelay/protocol/sidecar-api';

/**
 * What the chain says of blob objects now: those with these ids, and what an address holds of these blobs, or of all. The second
 * pages through all that the address owns. Throws the chain's errors.
 */
export async function describeObjects(
  chain: ChainClient,
  systemObjectId: string,
  { object_ids, owned }: StoreObjectsRequest,
): Promise<StoreObjectsResponse> {
  const system = await readSystemObject(chain, systemObjectId);
  const network = { blobType: `${system.typePackageId}::blob::Blob` };
  const [state, named, held] = await Promise.all([
    readSystemState(chain, system),
    readBlobObjects(chain, network, [...new Set(object_ids)]),
    owned ? heldBy(chain, network, owned.owner, owned.blob_ids && new Set(owned.blob_ids)) : [],
  ]);
  const found = new Map([...named, ...held].map((blob) => [blob.objectId, blob]));
  return {
    epoch: state.committee.epoch,
    objects: [...found.values()].map(({ objectId, blobId, endEpoch, certified }) => ({
      object_id: objectId,
      blob_id: blobId,
      end_epoch: endEpoch,
      certified,
    })),
  };
}

async function heldBy(
  chain: ChainClient,
  network: { blobType: string },
  owner: string,
  blobIds: ReadonlySet<string> | undefined,
): Promise<OwnedBlob[]> {
  const found: OwnedBlob[] = [];
  for await (const blob of ownedBlobs(chain, network, owner))
    if (!blobIds || blobIds.has(blob.blobId)) found.push(blob);
  return found;
}

/** One page of what an address holds, certified objects alone. Throws the chain's errors. */
export async function ownedPage(
  chain: ChainClient,
  systemObjectId: string,
  { owner, cursor }: OwnedBlobsRequest,
): Promise<OwnedBlobsResponse> {
  const system = await readSystemObject(chain, systemObjectId);
  const network = { blobType: `${system.typePackageId}::blob::Blob` };
  const [state, page] = await Promise.all([
    readSystemState(chain, system),
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
