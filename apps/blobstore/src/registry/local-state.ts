import type { CertifiedObject, ObjectRecord, StorageResource, UncertifiedObject } from './blob-registry.ts';
import type { EpochSchedule } from './epoch-clock.ts';
import { ObjectIndex } from './object-index.ts';

/** An object as stored in the journal. Older versions wrote fewer fields; absent ones get their default. */
type ObjectEntry = Omit<ObjectRecord, 'attributes' | 'burnt'> & Partial<ObjectRecord>;

interface Deletion {
  /** Id of the object */
  deleted: string;
  blobId: string;
  inEpoch: number;
  spare?: StorageResource;
}

/** A blob without objects. Its content may still be stored. */
interface EndedBlob {
  /** Id of the blob */
  ended: string;
  wasDeleted: boolean;
  /** Whether the registry may have lost the record of a store or an extension of the blob */
  isDoubted: boolean;
}

/** Each record is one complete change, so that a crash never leaves half of one. */
export type JournalRecord =
  | { epochs: EpochSchedule }
  /** An epoch that has begun, so that a clock that is set back does not revive expired objects */
  | { reached: number }
  /** A new or changed object. Uses up the spare storage that has the id of its storage. */
  | ObjectEntry
  | Deletion
  | EndedBlob
  /** The run of the store that wrote the journal; in its first line */
  | { run: number }
  /** See `LocalState.doubt` */
  | { doubtedUntil: number }
  | { spare: StorageResource };

export interface LocalObject {
  objectId: string;
  blobId: string;
  endEpoch: number;
  sharedBlobObject?: string;
  record: ObjectRecord;
}

function toLocalObject(entry: ObjectEntry): LocalObject {
  const { id: objectId, blobId, storage } = entry.object;
  const record = { attributes: {}, burnt: false, ...entry };
  const shared = entry.sharedBlobObject === undefined ? {} : { sharedBlobObject: entry.sharedBlobObject };
  return { objectId, blobId, endEpoch: storage.endEpoch, ...shared, record };
}

/** The object in a list of its own if it is certified; otherwise an empty list. */
export function asCertified({ record }: LocalObject): CertifiedObject[] {
  return isCertified(record) ? [{ ...describe(record), event: record.event }] : [];
}

export function asUncertified({ record }: LocalObject): UncertifiedObject[] {
  return isCertified(record) ? [] : [describe(record)];
}

export function isCertified({ object }: ObjectRecord): boolean {
  return object.certifiedEpoch !== null;
}

function describe({ object, owned }: ObjectRecord): UncertifiedObject {
  const { id: objectId, blobId, deletable, storage } = object;
  return { objectId, blobId, endEpoch: storage.endEpoch, deletable, owned };
}

/** The state of a local registry, computed from its journal. */
export class LocalState {
  readonly objects = new ObjectIndex<LocalObject>();
  readonly spares = new Map<string, StorageResource>();
  schedule: EpochSchedule | undefined;
  reached = 0;
  run: number | undefined;
  #doubtedUntil = 0;
  readonly #ended = new Map<string, EndedBlob>();
  /** By blob id: the deletion in the most recent epoch */
  readonly #deletions = new Map<string, Deletion>();

  apply(record: JournalRecord): void {
    if ('epochs' in record) this.schedule = record.epochs;
    else if ('run' in record) this.run = record.run;
    else if ('doubtedUntil' in record) this.#doubtedUntil = record.doubtedUntil;
    else if ('ended' in record) this.#ended.set(record.ended, record);
    else if ('reached' in record) this.reached = Math.max(this.reached, record.reached);
    else if ('object' in record) {
      this.spares.delete(record.object.storage.id);
      this.objects.set(toLocalObject(record));
      this.#ended.delete(record.object.blobId);
    } else if ('deleted' in record) {
      this.objects.delete(record.deleted);
      this.#deletions.set(record.blobId, record);
      this.#end(record.blobId, { wasDeleted: true, isDoubted: false });
      if (record.spare !== undefined) this.spares.set(record.spare.id, record.spare);
    } else this.spares.set(record.spare.id, record.spare);
  }

  #end(blobId: string, how: Omit<EndedBlob, 'ended'>): void {
    if (!this.objects.hasBlob(blobId)) this.#ended.set(blobId, { ended: blobId, ...how });
  }

  /**
   * Call this if the journal lacks entries. Then every known expiry, including that of objects that are still live,
   * may be wrong, because the blob may have been stored again or extended. Such content is quarantined instead of
   * removed.
   */
  doubt(): void {
    for (const { endEpoch } of this.objects.values())
      this.#doubtedUntil = Math.max(this.#doubtedUntil, endEpoch);
    for (const [blobId, ended] of this.#ended) this.#ended.set(blobId, { ...ended, isDoubted: true });
  }

  /** Whether the blob was stored here and all its objects have certainly expired or been deleted. */
  hasEnded(blobId: string): boolean {
    return this.#ended.get(blobId)?.isDoubted === false;
  }

  /** The entry of a blob without objects. */
  ended(blobId: string): EndedBlob | undefined {
    return this.#ended.get(blobId);
  }

  endedBlobs(): string[] {
    return [...this.#ended.keys()];
  }

  /** Forgets a blob whose content was removed. */
  forgetBlob(blobId: string): void {
    this.#ended.delete(blobId);
  }

  wasDeletedIn(blobId: string, epoch: number): boolean {
    return this.#deletions.get(blobId)?.inEpoch === epoch;
  }

  /** Drops objects that have expired by `epoch`. */
  prune(epoch: number): void {
    for (const { blobId, endEpoch } of this.objects.prune(epoch)) {
      this.#end(blobId, { wasDeleted: false, isDoubted: endEpoch <= this.#doubtedUntil });
    }
    for (const { id, endEpoch } of this.spares.values()) if (endEpoch <= epoch) this.spares.delete(id);
    for (const { blobId, inEpoch } of this.#deletions.values()) {
      if (inEpoch < epoch) this.#deletions.delete(blobId);
    }
  }

  /** The shortest list of records that produces this state, without the schedule. */
  toRecords(): JournalRecord[] {
    return [
      ...this.objects.values().map(({ record }) => record),
      // Storage that is still spare has separate records below.
      ...[...this.#deletions.values()].map(({ deleted, blobId, inEpoch }) => ({ deleted, blobId, inEpoch })),
      ...[...this.spares.values()].map((spare) => ({ spare })),
      // After the objects and deletions, because those create such entries too.
      ...this.#ended.values(),
      { doubtedUntil: this.#doubtedUntil },
      { reached: this.reached },
    ];
  }
}
