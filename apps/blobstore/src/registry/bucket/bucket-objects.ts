import type { ObjectRecord, PageRequest } from '../blob-registry.ts';
import type { BucketRecords, ObjectLocation } from './bucket-records.ts';
import { foldEvents, type ObjectEvent } from './object-events.ts';
import {
  blobPrefix,
  hasNotEnded,
  type ListedRecord,
  objectPrefix,
  objectsPrefix,
  summarise,
} from './record-key.ts';

/** An object, computed from its records. */
export interface StoredObject extends ObjectLocation {
  events: readonly ObjectEvent[];
  /** The sequence number of the next record */
  sequence: number;
  record: ObjectRecord;
}

/** The objects of a bucket that have not expired. All methods throw `RegistryUnavailableError`. */
export interface BucketObjects {
  ofBlob(blobId: string, epoch: number): Promise<StoredObject[]>;
  /** Finds an object by its own id, or by that of the SharedBlob object that contains it. */
  find(id: string, epoch: number): Promise<StoredObject | undefined>;
  list(page: PageRequest, blobId: string | undefined, epoch: number): Promise<ObjectRecord[]>;
  listBlobIds(page: PageRequest, epoch: number): Promise<string[]>;
  /** Returns the blobs of `blobIds` that have a live certified object. Reads only listings. */
  keptAmong(blobIds: readonly string[], epoch: number): Promise<ReadonlySet<string>>;
  wasDeletedIn(blobId: string, epoch: number): Promise<boolean>;
  /** Whether there are records of the blob, all of them about expired objects. */
  hasEnded(blobId: string, epoch: number): Promise<boolean>;
}

export function openBucketObjects(records: BucketRecords): BucketObjects {
  async function fold(listed: ListedRecord[], epoch: number): Promise<StoredObject[]> {
    if (!hasNotEnded(summarise(listed), epoch)) return [];
    const events = await records.eventsOf(listed);
    const record = events && foldEvents(events);
    if (record === undefined) return [];
    const { blobId, objectId } = listed[0]!;
    const sequence = 1 + Math.max(...listed.map((known) => known.sequence));
    return [{ blobId, objectId, events: events ?? [], sequence, record }];
  }

  async function load(prefix: string, epoch: number): Promise<StoredObject[]> {
    const found: Promise<StoredObject[]>[] = [];
    for await (const listed of records.listObjects(prefix)) found.push(fold(listed, epoch));
    return (await Promise.all(found)).flat();
  }

  async function find(id: string, epoch: number): Promise<StoredObject | undefined> {
    const place = await records.placeOf(id);
    if (place === undefined) return undefined;
    const [found] = await load(objectPrefix(place.blobId, place.objectId), epoch);
    return found;
  }

  /** Ids of all objects, including expired ones, but not of SharedBlob objects. */
  async function* objectIds(after: string): AsyncGenerator<string> {
    for await (const ids of records.listIds(after)) {
      const places = await Promise.all(ids.map((id) => records.placeOf(id)));
      yield* ids.filter((id, i) => places[i]?.objectId === id);
    }
  }

  return {
    ofBlob: (blobId, epoch) => load(blobPrefix(blobId), epoch),

    find,

    async list({ after = '', limit }, blobId, epoch) {
      if (blobId !== undefined) {
        const all = (await load(blobPrefix(blobId), epoch)).map(({ record }) => record);
        const rest = all.filter(({ object }) => object.id > after);
        return rest.sort((a, b) => (a.object.id < b.object.id ? -1 : 1)).slice(0, limit);
      }
      const found: ObjectRecord[] = [];
      for await (const id of objectIds(after)) {
        const object = await find(id, epoch);
        if (object !== undefined) found.push(object.record);
        if (found.length === limit) break;
      }
      return found;
    },

    async listBlobIds({ after, limit }, epoch) {
      // `0` is the character after the slash, so that no record of `after` itself is listed.
      const from = after === undefined ? undefined : `${objectsPrefix}${after}0`;
      const found: string[] = [];
      for await (const listed of records.listObjects(objectsPrefix, from)) {
        const { blobId } = listed[0]!;
        if (found.at(-1) === blobId || !hasNotEnded(summarise(listed), epoch)) continue;
        if (found.length === limit) break;
        found.push(blobId);
      }
      return found;
    },

    async keptAmong(blobIds, epoch) {
      const wanted = new Set(blobIds);
      const [first, last] = [blobIds.toSorted()[0], blobIds.toSorted().at(-1)];
      const kept = new Set<string>();
      if (first === undefined || last === undefined) return kept;
      for await (const listed of records.listObjects(objectsPrefix, objectsPrefix + first)) {
        const { blobId } = listed[0]!;
        if (blobId > last) break;
        const summary = summarise(listed);
        if (wanted.has(blobId) && summary.certified && hasNotEnded(summary, epoch)) kept.add(blobId);
      }
      return kept;
    },

    async hasEnded(blobId, epoch) {
      let isKnown = false;
      for await (const listed of records.listObjects(blobPrefix(blobId))) {
        if (hasNotEnded(summarise(listed), epoch)) return false;
        isKnown = true;
      }
      return isKnown;
    },

    async wasDeletedIn(blobId, epoch) {
      for await (const listed of records.listObjects(blobPrefix(blobId))) {
        if (summarise(listed).deletedIn === epoch) return true;
      }
      return false;
    },
  };
}
