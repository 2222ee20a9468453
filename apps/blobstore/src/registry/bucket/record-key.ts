import { randomBytes } from 'node:crypto';
import type { BucketKey } from '../../storage/s3/bucket.ts';

/** The event of a record, as far as listings need it. */
export type RecordKind = 'registered' | 'certified' | 'extended' | 'changed' | 'deleted';

/**
 * The key of a record: `objects/<blob id>/<object id>/<sequence>.<kind>.<epoch>.<random>`. Each key is written only
 * once, so two instances that act concurrently both leave their record. A listing alone shows which objects are live.
 */
export interface RecordKey {
  blobId: string;
  objectId: string;
  /** One more than the highest that its writer saw */
  sequence: number;
  kind: RecordKind;
  /** The end of the object after the record; of a deletion, the epoch it was done in */
  epoch: number;
}

export interface ListedRecord extends RecordKey, BucketKey {}

export const objectsPrefix = 'objects/';

export function blobPrefix(blobId: string): string {
  return `${objectsPrefix}${blobId}/`;
}

export function objectPrefix(blobId: string, objectId: string): string {
  return `${blobPrefix(blobId)}${objectId}/`;
}

export function newRecordKey({ blobId, objectId, sequence, kind, epoch }: RecordKey): string {
  const random = randomBytes(12).toString('base64url');
  return `${objectPrefix(blobId, objectId)}${String(sequence).padStart(6, '0')}.${kind}.${epoch}.${random}`;
}

const pattern =
  /^objects\/([\w-]{43})\/(0x[0-9a-f]{64})\/(\d{6,15})\.(registered|certified|extended|changed|deleted)\.(\d{1,15})\.[\w-]+$/;

/** Undefined for a key that is not one of ours. */
export function parseRecordKey({ key, modifiedAtMs }: BucketKey): ListedRecord | undefined {
  const match = pattern.exec(key);
  if (match === null) return undefined;
  const [, blobId, objectId, sequence, kind, epoch] = match as unknown as string[];
  return {
    key,
    modifiedAtMs,
    blobId: blobId!,
    objectId: objectId!,
    sequence: Number(sequence),
    kind: kind as RecordKind,
    epoch: Number(epoch),
  };
}

/** What the keys of one object's records show without reading their content. */
export interface ObjectSummary {
  /** Whether the record is there that the object began with */
  begun: boolean;
  certified: boolean;
  /** Exclusive */
  endEpoch: number;
  deletedIn: number | undefined;
}

export function summarise(records: readonly RecordKey[]): ObjectSummary {
  const ends = records.flatMap(({ kind, epoch }) => (kind === 'deleted' ? [] : [epoch]));
  return {
    begun: records.some(({ sequence }) => sequence === 0),
    certified: records.some(({ kind }) => kind === 'certified'),
    endEpoch: Math.max(0, ...ends),
    deletedIn: records.find(({ kind }) => kind === 'deleted')?.epoch,
  };
}

/** Whether an object outlives the start of `epoch`. */
export function hasNotEnded({ begun, endEpoch, deletedIn }: ObjectSummary, epoch: number): boolean {
  return begun && deletedIn === undefined && endEpoch > epoch;
}
