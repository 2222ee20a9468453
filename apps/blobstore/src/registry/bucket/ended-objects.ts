import type { BucketRecords } from './bucket-records.ts';
import { type ListedRecord, objectsPrefix, summarise } from './record-key.ts';

/**
 * The records of objects that are no longer needed: they ended an epoch ago, were deleted in an earlier one, or are
 * remains of a removed object, and none was written since `beforeMs`. By then even an instance whose clock is slow
 * knows of the end.
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
