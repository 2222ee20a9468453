import { randomBytes } from 'node:crypto';
import type { BucketKey } from '../../storage/s3/bucket.ts';

/** The kind of event in a record, as needed by listings. */
export type RecordKind = 'registered' | 'certified' | 'extended' | 'changed' | 'deleted';

/**
 * The key of a record: `objects/<blob id>/<object id>/<sequence>.<kind>.<epoch>.<random>`. Each key is written only
 * once, so two instances that act concurrently both leave their record. A listing alone shows which objects are live.
 */
export interface RecordKey {
  blobId: string;
  objectId: string;
  /** One more than the highest sequence that its writer saw */
  sequence: number;
  kind: RecordKind;
  /** The end epoch of the object after this record; for a deletion, the epoch of the deletion */
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

/** The state of an object as far as the keys of its records show it, without reading their content. */
export interface ObjectSummary {
  /** Whether the first record of the object exists */
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
