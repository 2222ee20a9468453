import type { CertifiedObject, ObjectRecord, StorageResource, UncertifiedObject } from './blob-registry.ts';
import type { EpochSchedule } from './epoch-clock.ts';
import { ObjectIndex } from './object-index.ts';

/** An object as the journal keeps it; what is absent is as in journals from before there was more to say. */
type ObjectEntry = Omit<ObjectRecord, 'attributes' | 'burnt'> & Partial<ObjectRecord>;

interface Deletion {
  /** Id of the object */
  deleted: string;
  blobId: string;
  inEpoch: number;
  spare?: StorageResource;
}

/** Each record is one change as a whole, so that a crash never leaves half of one. */
export type JournalRecord =
  | { epochs: EpochSchedule }
  /** An epoch that has begun: a clock that is set back must not revive what ended */
  | { reached: number }
  /** A new object, or one as it is after a change; takes up the spare storage with the id of its own */
  | ObjectEntry
  | Deletion
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

/** The object as a reader of its blob needs it; none before the certificate. */
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

/** All that a registry of its own knows, as the sum of its journal. */
export class LocalState {
  readonly objects = new ObjectIndex<LocalObject>();
  readonly spares = new Map<string, StorageResource>();
  schedule: EpochSchedule | undefined;
  reached = 0;
  /** By blob id: deletions of the newest epoch in which there was one */
  readonly #deletions = new Map<string, Deletion>();

  apply(record: JournalRecord): void {
    if ('epochs' in record) this.schedule = record.epochs;
    else if ('reached' in record) this.reached = Math.max(this.reached, record.reached);
    else if ('object' in record) {
      this.spares.delete(record.object.storage.id);
      this.objects.set(toLocalObject(record));
    } else if ('deleted' in record) {
      this.objects.delete(record.deleted);
      this.#deletions.set(record.blobId, record);
      if (record.spare !== undefined) this.spares.set(record.spare.id, record.spare);
    } else this.spares.set(record.spare.id, record.spare);
  }

  wasDeletedIn(blobId: string, epoch: number): boolean {
    return this.#deletions.get(blobId)?.inEpoch === epoch;
  }

  /** Drops what has ended by `epoch`. */
  prune(epoch: number): void {
    this.objects.prune(epoch);
    for (const { id, endEpoch } of this.spares.values()) if (endEpoch <= epoch) this.spares.delete(id);
    for (const { blobId, inEpoch } of this.#deletions.values()) {
      if (inEpoch < epoch) this.#deletions.delete(blobId);
    }
  }

  /** The shortest journal with this sum, but for the schedule. */
  toRecords(): JournalRecord[] {
    return [
      ...this.objects.values().map(({ record }) => record),
      // Their storage follows by itself, where it is still spare.
      ...[...this.#deletions.values()].map(({ deleted, blobId, inEpoch }) => ({ deleted, blobId, inEpoch })),
      ...[...this.spares.values()].map((spare) => ({ spare })),
      { reached: this.reached },
    ];
  }
}
