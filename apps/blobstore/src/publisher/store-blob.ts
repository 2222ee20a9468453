import type { BlobStoreContext } from '../blob-store-context.ts';
import type { StoreQuery } from '../http/store-query.ts';
import type { StagedBlob, StoredBlob } from '../storage/storage.ts';
import { decideStore } from './store-decision.ts';
import { type StoreResponse, toBlobObject } from './store-response.ts';

/**
 * Makes received content durable and registers it as the query asks. When this resolves, both the bytes and the
 * object survive a crash. Stores of the same blob follow each other, so that the second sees what the first made.
 */
export async function storeBlob(
  context: BlobStoreContext,
  staged: StagedBlob,
  query: StoreQuery,
): Promise<StoreResponse> {
  const identity = await context.identifyStaged(staged);
  return context.locks.run(identity.blobId, async () => {
    const blob = await context.storage.commit(staged, identity);
    return registerStored(context, blob, query);
  });
}

async function registerStored(
  { registry }: BlobStoreContext,
  blob: StoredBlob,
  { epochs, permanent, force, reuseResources, sendObjectTo }: StoreQuery,
): Promise<StoreResponse> {
  const { blobId, rootHash, size } = blob;
  const targetEpoch = (await registry.currentEpoch()) + epochs;
  const live = await registry.liveObjects(blobId);
  const decision = decideStore(live, { targetEpoch, permanent, force, reuseResources });
  switch (decision.kind) {
    case 'certified-event': {
      const { event, endEpoch } = decision.existing;
      return { alreadyCertified: { blobId, event, endEpoch } };
    }
    case 'certified-object': {
      const { objectId, endEpoch } = decision.existing;
      return { alreadyCertified: { blobId, object: objectId, endEpoch } };
    }
    case 'extend': {
      const { byEpochs, existing } = decision;
      const { object, cost } = await registry.extend(existing.objectId, byEpochs, sendObjectTo);
      const encodedLength = object.storage.storageSize;
      const resourceOperation = { reuseAndExtend: { encodedLength, epochsExtended: byEpochs } };
      return { newlyCreated: { blobObject: toBlobObject(object), resourceOperation, cost } };
    }
    case 'register': {
      const stored = await registry.store({
        blobId,
        rootHash,
        size,
        epochs,
        deletable: !permanent,
        sendObjectTo,
      });
      const encodedLength = stored.object.storage.storageSize;
      const resourceOperation = { registerFromScratch: { encodedLength, epochsAhead: epochs } };
      return {
        newlyCreated: { blobObject: toBlobObject(stored.object), resourceOperation, cost: stored.cost },
      };
    }
  }
}
