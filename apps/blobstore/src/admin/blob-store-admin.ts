import type { Faults } from '../faults/faults.ts';
import {
  type BlobAttributes,
  type BlobRegistry,
  type ObjectRecord,
  type PageRequest,
  RegistryRefusedError,
} from '../registry/blob-registry.ts';
import type { Sweeper } from '../registry/sweep.ts';
import { type BlobStatus, blobStatus } from './blob-status.ts';

/** One blob with the combined status of its objects. */
export interface BlobSummary {
  blobId: string;
  /** Unencoded bytes */
  size: number;
  status: BlobStatus;
}

/** A blob and its objects that have not ended, in the order of their ids. */
export interface BlobDetails {
  blobId: string;
  status: BlobStatus;
  objects: ObjectRecord[];
}

export interface Page<T> {
  items: T[];
  /** Start of the next page; absent on the last one */
  cursor?: string;
}

/** Ids of the objects of a blob that were deleted, and of those that could not be. */
export interface Deletion {
  deleted: string[];
  kept: string[];
}

/**
 * Operations that neither publisher nor aggregator offers: inspecting a store and changing it from outside. Methods
 * throw `RegistryRefusedError` when the rules do not allow a change, and `RegistryUnavailableError` when the registry
 * is unreachable.
 */
export interface BlobStoreAdmin {
  currentEpoch(): Promise<number>;
  /**
   * Ends the current epoch and further ones, one by default, and removes everything that has expired. Returns the new
   * epoch.
   */
  advanceEpoch(by?: number): Promise<number>;
  /** Blobs that have an object, in the order of their ids. */
  listBlobs(page?: Partial<PageRequest>): Promise<Page<BlobSummary>>;
  getBlob(blobId: string): Promise<BlobDetails>;
  /** Deletes all deletable objects of a blob. */
  deleteBlob(blobId: string): Promise<Deletion>;
  /** Objects in the order of their ids, of all blobs or only of `blobId`. */
  listObjects(page?: Partial<PageRequest> & { blobId?: string }): Promise<Page<ObjectRecord>>;
  deleteObject(objectId: string): Promise<void>;
  /** Extends a certified object of the publisher. Returns its end epoch. */
  extendObject(objectId: string, epochs: number): Promise<number>;
  /** Adds or replaces attributes, and removes those that are null. Returns the resulting attributes. */
  setAttributes(objectId: string, changes: Record<string, string | null>): Promise<BlobAttributes>;
  /** Removes bytes that no object keeps. Returns the number of blobs removed. */
  sweep(): Promise<number>;
  faults: Faults;
}

export const defaultPageSize = 100;

interface AdminParts {
  registry: BlobRegistry;
  faults: Faults;
  /** Whether the data of a deleted blob is removed immediately instead of at the end of the epoch */
  deletesDataAtOnce: boolean;
}

export function createAdmin(context: AdminParts, sweeper: Sweeper): BlobStoreAdmin {
  const { registry, faults } = context;

  function objectsOf(blobId: string): Promise<ObjectRecord[]> {
    return registry.list({ blobId, limit: Number.MAX_SAFE_INTEGER });
  }

  async function summarise(blobId: string): Promise<BlobSummary[]> {
    const records = await objectsOf(blobId);
    const size = records[0]?.object.size;
    return size === undefined ? [] : [{ blobId, size, status: blobStatus(records) }];
  }

  async function removeData(blobId: string): Promise<void> {
    if (context.deletesDataAtOnce) await sweeper.sweepBlob(blobId);
  }

  return {
    currentEpoch: () => registry.currentEpoch(),

    async advanceEpoch(by = 1) {
      const epoch = await registry.advanceEpoch(by);
      await sweeper.sweep();
      return epoch;
    },

    async listBlobs({ limit = defaultPageSize, ...page } = {}) {
      const ids = await registry.listBlobIds({ ...page, limit });
      const items = (await Promise.all(ids.map(summarise))).flat();
      return { items, ...next(ids, limit) };
    },

    async getBlob(blobId) {
      const objects = await objectsOf(blobId);
      return { blobId, status: blobStatus(objects), objects };
    },

    async deleteBlob(blobId) {
      const deletion: Deletion = { deleted: [], kept: [] };
      for (const { object, burnt } of await objectsOf(blobId)) {
        const isDeleted = !burnt && object.deletable && (await triedToDelete(object.id));
        (isDeleted ? deletion.deleted : deletion.kept).push(object.id);
      }
      await removeData(blobId);
      return deletion;
    },

    async listObjects({ limit = defaultPageSize, ...page } = {}) {
      const items = await registry.list({ ...page, limit });
      const ids = items.map(({ object }) => object.id);
      return { items, ...next(ids, limit) };
    },

    async deleteObject(objectId) {
      await removeData(await registry.delete(objectId));
    },

    async extendObject(objectId, epochs) {
      const { object } = await registry.extend(objectId, epochs);
      return object.storage.endEpoch;
    },

    setAttributes: (objectId, changes) => registry.setAttributes(objectId, changes),

    sweep: () => sweeper.sweep(),

    faults,
  };

  /** False if the rules forbid it, or another caller deleted it first. */
  async function triedToDelete(objectId: string): Promise<boolean> {
    try {
      await registry.delete(objectId);
      return true;
    } catch (error) {
      if (error instanceof RegistryRefusedError && error.reason !== 'not-offered') return false;
      throw error;
    }
  }
}

function next(ids: string[], limit: number): { cursor?: string } {
  const last = ids.at(-1);
  return last === undefined || ids.length < limit ? {} : { cursor: last };
}
