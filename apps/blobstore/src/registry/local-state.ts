import type { CertifiedObject, ObjectRecord, StorageResource, UncertifiedObject } from './blob-registry.ts';
import type { EpochSchedule } from './epoch-clock.ts';
import { ObjectIndex } from './object-index.ts';

/** An object as stored in the journal; absent fields have the meaning they had before the fields existed. */
type ObjectEntry = Omit<ObjectRecord, 'attributes' | 'burnt'> & Partial<ObjectRecord>;

interface Deletion {
  /** Id of the object */
  deleted: string;
  blobId: string;
  inEpoch: number;
  spare?: StorageResource;
}

/** A blob without any object, whose content may still be there */
interface EndedBlob {
  /** Id of the blob */
  ended: string;
  wasDeleted: boolean;
  /** The registry may have missed a store or an extension of it */
  isDoubted: boolean;
}

/** Each record is one complete change, so that a crash never leaves half of one. */
export type JournalRecord =
  | { epochs: EpochSchedule }
  /** An epoch that has begun: a clock that is set back must not revive what ended */
  | { reached: number }
  /** A new object, or one as it is after a change; takes up the spare storage with the id of its own */
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

/** The state of a local registry, as the sum of its journal. */
export class LocalState {
  readonly objects = new ObjectIndex<LocalObject>();
  readonly spares = new Map<string, StorageResource>();
  schedule: EpochSchedule | undefined;
  reached = 0;
  run: number | undefined;
  #doubtedUntil = 0;
  readonly #ended = new Map<string, EndedBlob>();
  /** By blob id: deletions of the newest epoch in which there was one */
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
   * Records that the journal lacks entries: every known end, including those that arrive with current entries, may be
   * wrong, because the blob may have been stored again or extended. Such content is quarantined, not removed.
   */
  doubt(): void {
    for (const { endEpoch } of this.objects.values())
      this.#doubtedUntil = Math.max(this.#doubtedUntil, endEpoch);
    for (const [blobId, ended] of this.#ended) this.#ended.set(blobId, { ...ended, isDoubted: true });
  }

  /** Whether the blob was here and its objects have all ended beyond doubt. */
  hasEnded(blobId: string): boolean {
    return this.#ended.get(blobId)?.isDoubted === false;
  }

  /** Facts about a blob without objects. */
  ended(blobId: string): EndedBlob | undefined {
    return this.#ended.get(blobId);
  }

  endedBlobs(): string[] {
    return [...this.#ended.keys()];
  }

  /** Forgets that a blob ended: nothing of it is left. */
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

  /** The shortest journal with this sum, but for the schedule. */
  toRecords(): JournalRecord[] {
    return [
      ...this.objects.values().map(({ record }) => record),
      // Their storage follows by itself, where it is still spare.
      ...[...this.#deletions.values()].map(({ deleted, blobId, inEpoch }) => ({ deleted, blobId, inEpoch })),
      ...[...this.spares.values()].map((spare) => ({ spare })),
      // Behind the objects and deletions, from which they would follow otherwise.
      ...this.#ended.values(),
      { doubtedUntil: this.#doubtedUntil },
      { reached: this.reached },
    ];
  }
}
