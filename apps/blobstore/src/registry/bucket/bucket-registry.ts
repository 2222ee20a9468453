import { encodedBlobLength } from '@memrelay/chain/walrus-sizes';
import { createKeyedLock } from '../../base/keyed-lock.ts';
import type { Bucket } from '../../storage/s3/bucket.ts';
import {
  type AfterStore,
  type BlobRegistry,
  maxEpochsAhead,
  type NewBlob,
  type ObjectRecord,
  type PaidObject,
  RegistryRefusedError,
  RegistryUnavailableError,
} from '../blob-registry.ts';
import { newEvent, newObjectId, toPaid } from '../new-object.ts';
import { defaultPrices, extensionCost, registrationCost } from '../pricing.ts';
import { openBucketEpochs } from './bucket-epochs.ts';
import { openBucketObjects, type StoredObject } from './bucket-objects.ts';
import { type BucketRecords, openBucketRecords } from './bucket-records.ts';
import { foldEvents, type ObjectEvent } from './object-events.ts';
import { type ListedRecord, objectsPrefix, type RecordKind, summarise } from './record-key.ts';

export interface BucketRegistryOptions {
  bucket: Bucket;
  nShards: number;
  /** Null if epochs are only advanced manually */
  epochDurationMs: number | null;
  /** Milliseconds since 1970 */
  now: () => number;
  /** How long the records of an object are kept after it has expired, in milliseconds */
  graceMs: number;
}

/** The events for what happens to an object once it is certified. */
function eventsAfter({ sendObjectTo, share, burn, attributes }: AfterStore): ObjectEvent[] {
  const events: ObjectEvent[] = [];
  if (attributes !== undefined) events.push({ kind: 'attributes', changes: attributes });
  if (share) events.push({ kind: 'released', sharedBlobObject: newObjectId() });
  else if (burn) events.push({ kind: 'released', burnt: true });
  else if (sendObjectTo !== undefined) events.push({ kind: 'released' });
  return events;
}

function isCertified({ record }: StoredObject): boolean {
  return record.object.certifiedEpoch !== null;
}

function describe({ object, owned }: ObjectRecord) {
  const { id: objectId, blobId, deletable, storage } = object;
  return { objectId, blobId, endEpoch: storage.endEpoch, deletable, owned };
}

/**
 * A registry that several instances share without a chain. Each change of an object is a separate record in the
 * bucket, and the state of an object is computed from its records. Records never change and only they are cached,
 * so each instance sees the changes of the others immediately. As in the registry of one instance, it deletes
 * objects and sets attributes regardless of their owner. There is no spare storage, because two instances could use
 * it up twice.
 */
export function openBucketRegistry(options: BucketRegistryOptions): BlobRegistry {
  const { bucket, nShards, graceMs } = options;
  const epochs = openBucketEpochs({ bucket, durationMs: options.epochDurationMs, now: options.now });
  const records = openBucketRecords(bucket);
  const objects = openBucketObjects(records);
  /** By object id, because each change depends on the previous one */
  const changes = createKeyedLock();

  async function registration({ blobId, size, deletable, storageId, ...blob }: NewBlob) {
    if (storageId !== undefined) {
      throw new RegistryRefusedError('not-offered', 'a registry in a bucket has no spare storage');
    }
    const epoch = await epochs.now();
    const endEpoch = epoch + blob.epochs;
    const storageSize = encodedBlobLength(size, nShards);
    const storage = { id: newObjectId(), startEpoch: epoch, endEpoch, storageSize };
    const object = {
      id: newObjectId(),
      registeredEpoch: epoch,
      blobId,
      size,
      certifiedEpoch: null,
      storage,
      deletable,
    };
    return { object, registered: { kind: 'registered', object, event: newEvent() } as const };
  }

  /** Writes a record with these events. Returns the resulting object. */
  async function record(
    { blobId, objectId, events, sequence }: Pick<StoredObject, 'blobId' | 'objectId' | 'events' | 'sequence'>,
    kind: RecordKind,
    happened: ObjectEvent[],
  ): Promise<ObjectRecord> {
    const after = foldEvents([...events, ...happened]);
    if (after === undefined) throw new Error('a record of a missing object');
    const { sharedBlobObject } = after;
    if (sharedBlobObject !== undefined) await records.point(sharedBlobObject, { blobId, objectId });
    const epoch = after.object.storage.endEpoch;
    await records.append({ blobId, objectId, sequence, kind, epoch }, happened);
    return after;
  }

  /** The object to be changed. Throws if it does not exist or is in a shared object. */
  async function existing(id: string): Promise<StoredObject> {
    const found = await objects.find(id, await epochs.now());
    if (found === undefined || found.record.burnt) {
      throw new RegistryRefusedError('not-found', `object ${id} does not exist`);
    }
    if (found.record.sharedBlobObject === undefined) return found;
    throw new RegistryRefusedError('not-owned', `${id} is a shared object without an owner`);
  }

  async function owned(objectId: string): Promise<StoredObject> {
    const found = await existing(objectId);
    if (found.record.owned) return found;
    throw new RegistryRefusedError('not-owned', `${objectId} is not an object of this publisher`);
  }

  async function extend(
    found: StoredObject,
    kind: RecordKind,
    byEpochs: number,
    happened: ObjectEvent[],
  ): Promise<PaidObject> {
    const { storage } = found.record.object;
    const endEpoch = storage.endEpoch + byEpochs;
    if (endEpoch > (await epochs.now()) + maxEpochsAhead) {
      throw new RegistryRefusedError('too-long', `storage is limited to ${maxEpochsAhead} epochs`);
    }
    const after = await record(found, kind, [{ kind: 'extended', endEpoch }, ...happened]);
    return toPaid(after, extensionCost(storage.storageSize, byEpochs, defaultPrices));
  }

  return {
    currentEpoch: () => epochs.now(),

    async store(blob, content) {
      const { object, registered } = await registration(blob);
      const { id: objectId, blobId, storage } = object;
      const begun = [content(), records.point(objectId, { blobId, objectId })];
      // If one fails, waits for the other, so that nothing is still running when the error is reported.
      await Promise.allSettled(begun);
      await Promise.all(begun);
      const epoch = await epochs.now();
      if (storage.endEpoch <= epoch) {
        throw new RegistryUnavailableError('the storage expired before the blob was certified');
      }
      // A single record, so that a crash leaves either the whole object or nothing.
      const after = await record({ blobId, objectId, events: [], sequence: 0 }, 'certified', [
        registered,
        { kind: 'certified', epoch, event: newEvent() },
        ...eventsAfter(blob),
      ]);
      return toPaid(after, registrationCost(storage.storageSize, blob.epochs, defaultPrices));
    },

    async register(blob) {
      const { object, registered } = await registration(blob);
      const { id: objectId, blobId } = object;
      await records.point(objectId, { blobId, objectId });
      await record({ blobId, objectId, events: [], sequence: 0 }, 'registered', [registered]);
      return objectId;
    },

    certify: (objectId, extendBy, after = {}) =>
      changes.run(objectId, async () => {
        const found = await owned(objectId);
        const certificate = { kind: 'certified', epoch: await epochs.now(), event: newEvent() } as const;
        return extend(found, 'certified', extendBy, [certificate, ...eventsAfter(after)]);
      }),

    extend: (objectId, byEpochs, after = {}) =>
      changes.run(objectId, async () => {
        const found = await owned(objectId);
        if (!isCertified(found)) {
          throw new RegistryRefusedError('uncertified', `${objectId} is not certified yet`);
        }
        return extend(found, 'extended', byEpochs, eventsAfter(after));
      }),

    setAttributes: (objectId, wanted) =>
      changes.run(objectId, async () => {
        const found = await existing(objectId);
        const { attributes } = await record(found, 'changed', [{ kind: 'attributes', changes: wanted }]);
        return attributes;
      }),

    delete: (objectId) =>
      changes.run(objectId, async () => {
        const { blobId, sequence, record: known } = await existing(objectId);
        if (known.sharedBlobObject !== undefined) {
          throw new RegistryRefusedError(
            'not-owned',
            `${objectId} is a shared object, which cannot be deleted`,
          );
        }
        if (!known.object.deletable) {
          throw new RegistryRefusedError('permanent', `${objectId} is permanent`);
        }
        const epoch = await epochs.now();
        await records.append({ blobId, objectId, sequence, kind: 'deleted', epoch }, [
          { kind: 'deleted', epoch },
        ]);
        return blobId;
      }),

    advanceEpoch: (by) => epochs.advance(by),

    async liveObjects(blobId) {
      const all = await objects.ofBlob(blobId, await epochs.now());
      return all.filter(isCertified).map(({ record: known }) => ({ ...describe(known), event: known.event }));
    },

    async uncertified(blobId) {
      const all = await objects.ofBlob(blobId, await epochs.now());
      return all.filter((found) => !isCertified(found)).map(({ record: known }) => describe(known));
    },

    spareStorage: async () => [],

    isPromised: async (blobId) => (await objects.ofBlob(blobId, await epochs.now())).length > 0,

    hasEnded: async (blobId) => objects.hasEnded(blobId, await epochs.now()),

    deletedThisEpoch: async (blobId) => objects.wasDeletedIn(blobId, await epochs.now()),

    async find(id) {
      const found = await objects.find(id, await epochs.now());
      if (found === undefined || found.record.burnt || !isCertified(found)) return undefined;
      const { record: known } = found;
      return { ...describe(known), event: known.event, attributes: known.attributes };
    },

    list: async ({ blobId, ...page }) => objects.list(page, blobId, await epochs.now()),

    listBlobIds: async (page) => objects.listBlobIds(page, await epochs.now()),

    keptAmong: async (blobIds) => objects.keptAmong(blobIds, await epochs.now()),

    async forgetEnded() {
      const endedBeforeMs = Date.now() - graceMs;
      for await (const ended of endedObjects(records, await epochs.now(), endedBeforeMs)) {
        const { objectId } = ended[0]!;
        const events = (await records.eventsOf(ended)) ?? [];
        const shared = events.flatMap((event) =>
          event.kind === 'released' ? (event.sharedBlobObject ?? []) : [],
        );
        await records.forget(ended, [objectId, ...shared]);
      }
    },

    async close() {},
  };
}

/**
 * The records of objects that are no longer needed: objects that expired an epoch ago or were deleted in an earlier
 * epoch, and remains of removed objects. Only objects without a record since `beforeMs`, so that even an instance
 * whose clock is slow considers them expired.
 */
export async function* endedObjects(
  records: BucketRecords,
  epoch: number,
  beforeMs: number,
): AsyncGenerator<ListedRecord[]> {
  for await (const object of records.listObjects(objectsPrefix)) {
    const { begun, endEpoch, deletedIn } = summarise(object);
    const hasEnded = !begun || (deletedIn ?? endEpoch) < epoch;
    if (hasEnded && object.every(({ modifiedAtMs }) => modifiedAtMs < beforeMs)) yield object;
  }
}
