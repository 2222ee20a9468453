import type { ChainClient } from '@memrelay/chain/chain-client';
import { type OwnedObject, ownedObjects } from '@memrelay/chain/owned-objects';
import { storageBcs } from '@memrelay/chain/walrus-bcs';
import { RegistryRefusedError, type StorageResource } from '../blob-registry.ts';
import type { ObjectRef } from './blob-objects.ts';

/** Storage that the publisher owns and no blob uses. */
export interface SpareStorage {
  /** All spare storage on chain, except storage that is being used right now. */
  list(): Promise<StorageResource[]>;
  /**
   * Passes listed storage to one transaction in `use`. Throws `RegistryRefusedError` when it is no longer available.
   */
  claim<T>(storageId: string, use: (ref: ObjectRef) => Promise<T>): Promise<T>;
}

export function createSpareStorage(chain: ChainClient, packageId: string, owner: string): SpareStorage {
  const listed = new Map<string, ObjectRef>();
  const claimed = new Set<string>();

  return {
    async list() {
      const objects: OwnedObject[] = [];
      const filter = { owner, type: `${packageId}::storage_resource::Storage` };
      for await (const object of ownedObjects(chain, filter)) objects.push(object);
      listed.clear();
      return objects.flatMap(({ objectId, version, digest, content }) => {
        if (claimed.has(objectId)) return [];
        listed.set(objectId, { objectId, version, digest });
        const { id, start_epoch, end_epoch, storage_size } = storageBcs.parse(content);
        return { id, startEpoch: start_epoch, endEpoch: end_epoch, storageSize: Number(storage_size) };
      });
    },

    async claim(storageId, use) {
      const ref = listed.get(storageId);
      listed.delete(storageId);
      if (ref === undefined || claimed.has(storageId)) {
        throw new RegistryRefusedError('not-found', `${storageId} is not spare storage`);
      }
      claimed.add(storageId);
      try {
        return await use(ref);
      } finally {
        claimed.delete(storageId);
      }
    },
  };
}
