import type { EventId, ObjectRecord } from '../registry/blob-registry.ts';

/**
 * The combined status of all objects of a blob, in the format of a storage node's status route. Permanent objects
 * take precedence over deletable ones, certified over registered. (`invalid`, for an incorrectly encoded blob, cannot
 * occur: the store encodes blobs itself.)
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

/** The combined status of the live objects of one blob. */
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
