import { LRUCache } from 'lru-cache';
import type { Bucket } from '../../storage/s3/bucket.ts';
import { StorageUnavailableError } from '../../storage/storage.ts';
import { RegistryUnavailableError } from '../blob-registry.ts';
import type { ObjectEvent } from './object-events.ts';
import { type ListedRecord, newRecordKey, parseRecordKey, type RecordKey } from './record-key.ts';

/** How many records are cached, about a kilobyte each. Records never change. */
const rememberedRecords = 20_000;

/** The location of an object's records. */
export interface ObjectLocation {
  blobId: string;
  objectId: string;
}

/** The records of all objects in a bucket. All methods throw `RegistryUnavailableError`. */
export interface BucketRecords {
  /** Lists the records below a prefix, after the key `after`, grouped by object. */
  listObjects(prefix: string, after?: string): AsyncIterable<ListedRecord[]>;
  /** All events of an object in the order of its records; undefined if some records have just been removed. */
  eventsOf(records: readonly ListedRecord[]): Promise<ObjectEvent[] | undefined>;
  append(record: RecordKey, events: readonly ObjectEvent[]): Promise<void>;
  /** Maps an id to an object. Written before the object, so that every object can be found by its id. */
  point(id: string, place: ObjectLocation): Promise<void>;
  placeOf(id: string): Promise<ObjectLocation | undefined>;
  /** All ids that are mapped to an object, sorted, in pages. */
  listIds(after: string): AsyncIterable<string[]>;
  /** Removes an object. Its deletion records are removed last, so that an interrupted removal does not revive it. */
  forget(records: readonly ListedRecord[], ids: readonly string[]): Promise<void>;
}

const idsPrefix = 'ids/';

async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StorageUnavailableError
      ? new RegistryUnavailableError('the registry bucket does not respond', { cause: error })
      : error;
  }
}

async function* askingAll<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = pages[Symbol.asyncIterator]();
  for (;;) {
    const next = await asking(() => iterator.next());
    if (next.done) return;
    yield next.value;
  }
}

function inOrder(a: ListedRecord, b: ListedRecord): number {
  return a.sequence - b.sequence || (a.key < b.key ? -1 : 1);
}

export function openBucketRecords(bucket: Bucket): BucketRecords {
  const known = new LRUCache<string, ObjectEvent[]>({ max: rememberedRecords });
  const places = new LRUCache<string, ObjectLocation>({ max: rememberedRecords });

  async function read(key: string): Promise<ObjectEvent[] | undefined> {
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const body = await asking(() => bucket.get(key));
    if (body === undefined) return undefined;
    const events = JSON.parse(body.toString()) as ObjectEvent[];
    known.set(key, events);
    return events;
  }

  return {
    async *listObjects(prefix, after) {
      let group: ListedRecord[] = [];
      for await (const page of askingAll(bucket.list(prefix, after))) {
        for (const record of page.flatMap((key) => parseRecordKey(key) ?? [])) {
          if (group.length > 0 && group[0]!.objectId !== record.objectId) {
            yield group;
            group = [];
          }
          group.push(record);
        }
      }
      if (group.length > 0) yield group;
    },

    async eventsOf(records) {
      const bodies = await Promise.all(records.toSorted(inOrder).map(({ key }) => read(key)));
      return bodies.some((events) => events === undefined) ? undefined : bodies.flatMap((events) => events!);
    },

    async append(record, events) {
      const key = newRecordKey(record);
      await asking(() => bucket.put(key, JSON.stringify(events)));
      known.set(key, [...events]);
    },

    point: (id, place) => asking(() => bucket.put(idsPrefix + id, JSON.stringify(place))),

    async placeOf(id) {
      const remembered = places.get(id);
      if (remembered !== undefined) return remembered;
      const body = await asking(() => bucket.get(idsPrefix + id));
      if (body === undefined) return undefined;
      const place = JSON.parse(body.toString()) as ObjectLocation;
      places.set(id, place);
      return place;
    },

    async *listIds(after) {
      for await (const page of askingAll(bucket.list(idsPrefix, idsPrefix + after))) {
        yield page.map(({ key }) => key.slice(idsPrefix.length));
      }
    },

    forget: (records, ids) =>
      asking(async () => {
        const keysOf = (deletions: boolean) =>
          records.flatMap(({ kind, key }) => ((kind === 'deleted') === deletions ? [key] : []));
        await bucket.remove([...ids.map((id) => idsPrefix + id), ...keysOf(false)]);
        await bucket.remove(keysOf(true));
      }),
  };
}
