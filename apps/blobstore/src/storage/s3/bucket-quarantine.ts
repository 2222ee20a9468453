import type { Quarantine } from '../quarantine.ts';
import type { Bucket } from './bucket.ts';

const prefix = 'quarantine/';

/** A quarantine that instances share: one empty key for each blob, as old as its time there. */
export function openBucketQuarantine(bucket: Bucket): Quarantine {
  return {
    async list() {
      const entries = new Map<string, number>();
      for await (const page of bucket.list(prefix)) {
        for (const { key, modifiedAtMs } of page) entries.set(key.slice(prefix.length), modifiedAtMs);
      }
      return entries;
    },
    async add(blobIds) {
      for (const blobId of blobIds) await bucket.put(prefix + blobId, '');
    },
    drop: (blobIds) => bucket.remove(blobIds.map((blobId) => prefix + blobId)),
  };
}
