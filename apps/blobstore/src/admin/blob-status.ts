import type { EventId, ObjectRecord } from '../registry/blob-registry.ts';

/**
 * What all objects of a blob make of it together, in the shape of a storage node's status route. A permanent
 * object counts before deletable ones, a certified one before one that is only registered. (`invalid`, for a blob
 * that was encoded wrongly, cannot come up: the store encodes itself.)
 */
export type BlobStatus =
  | 'nonexistent'
  | {
      permanent: {
        /** Of the object that lives longest */
        endEpoch: number;
        isCertified: boolean;
        statusEvent: EventId;
        deletableCounts: DeletableCounts;
        initialCertifiedEpoch: number | null;
      };
    }
  | { deletable: { initialCertifiedEpoch: number | null; deletableCounts: DeletableCounts } };

/** The names are the ones of the storage nodes. */
interface DeletableCounts {
  count_deletable_total: number;
  count_deletable_certified: number;
}

function isCertified({ object }: ObjectRecord): boolean {
  return object.certifiedEpoch !== null;
}

/** The status that the live objects of one blob have together. */
export function blobStatus(records: readonly ObjectRecord[]): BlobStatus {
  if (records.length === 0) return 'nonexistent';
  const deletable = records.filter(({ object }) => object.deletable);
  const deletableCounts = {
    count_deletable_total: deletable.length,
    count_deletable_certified: deletable.filter(isCertified).length,
  };
  const epochs = records.flatMap(({ object }) => object.certifiedEpoch ?? []);
  const initialCertifiedEpoch = epochs.length === 0 ? null : Math.min(...epochs);
  const permanent = records
    .filter(({ object }) => !object.deletable)
    .toSorted(
      (a, b) =>
        Number(isCertified(b)) - Number(isCertified(a)) ||
        b.object.storage.endEpoch - a.object.storage.endEpoch,
    )[0];
  if (permanent === undefined) return { deletable: { initialCertifiedEpoch, deletableCounts } };
  return {
    permanent: {
      endEpoch: permanent.object.storage.endEpoch,
      isCertified: isCertified(permanent),
      statusEvent: permanent.event,
      deletableCounts,
      initialCertifiedEpoch,
    },
  };
}
