import type { BlobStoreContext } from '../blob-store-context.ts';
import type { BlobIdentity } from '../encoding/blob-id-encoder.ts';
import type { StoreQuery } from '../http/store-query.ts';
import type { BlobRegistry } from '../registry/blob-registry.ts';
import type { StagedBlob } from '../storage/storage.ts';
import { decideStore, type StoreDecision } from './store-decision.ts';
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
    return registerStored(context, staged, identity, query);
  });
}

async function decide(registry: BlobRegistry, blobId: string, query: StoreQuery): Promise<StoreDecision> {
  const { epochs, permanent, force, reuseResources } = query;
  // Nothing that exists could be enough, so the chain need not be asked.
  if (force || !(permanent || reuseResources)) return { kind: 'register' };
  const targetEpoch = (await registry.currentEpoch()) + epochs;
  return decideStore(await registry.liveObjects(blobId), { targetEpoch, permanent, reuseResources });
}

async function registerStored(
  { registry, storage }: BlobStoreContext,
  staged: StagedBlob,
  identity: BlobIdentity,
  query: StoreQuery,
): Promise<StoreResponse> {
  const { epochs, permanent, sendObjectTo } = query;
  const { blobId } = identity;
  const decision = await decide(registry, blobId, query);
  const content = async () => {
    await storage.commit(staged, identity);
  };
  // Repairs a copy that the disk has lost or changed meanwhile.
  if (decision.kind !== 'register') await content();
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
      const { object, cost } = await registry.extend(existing.objectId, byEpochs, { sendObjectTo });
      const encodedLength = object.storage.storageSize;
      const resourceOperation = { reuseAndExtend: { encodedLength, epochsExtended: byEpochs } };
      return { newlyCreated: { blobObject: toBlobObject(object), resourceOperation, cost } };
    }
    case 'register': {
      const { size } = staged;
      const wanted = { ...identity, size, epochs, deletable: !permanent, sendObjectTo };
      const stored = await registry.store(wanted, content);
      const encodedLength = stored.object.storage.storageSize;
      const resourceOperation = { registerFromScratch: { encodedLength, epochsAhead: epochs } };
      return {
        newlyCreated: { blobObject: toBlobObject(stored.object), resourceOperation, cost: stored.cost },
      };
    }
  }
}
