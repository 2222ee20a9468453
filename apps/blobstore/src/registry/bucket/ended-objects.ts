import type { BucketRecords } from './bucket-records.ts';
import { type ListedRecord, objectsPrefix, summarise } from './record-key.ts';

/**
 * The records of each object that nobody asks about any more: it ended an epoch ago, or was deleted in an earlier
 * one, or is a rest of one that was removed; and nothing was written about it since `beforeMs`. An instance whose
 * clock goes after still knows of the end by then.
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
