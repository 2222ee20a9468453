import type { EventId } from '../blob-registry.ts';
import { isCertified, type KnownBlob } from './blob-index.ts';

/** The combined status of all objects of a blob, with the wire names of storage nodes. */
export type BlobStatus =
  | 'nonexistent'
  | { permanent: PermanentStatus }
  | { deletable: Pick<PermanentStatus, 'deletableCounts' | 'initialCertifiedEpoch'> };

interface PermanentStatus {
  /** Exclusive */
  endEpoch: number;
  isCertified: boolean;
  statusEvent: EventId;
  deletableCounts: { count_deletable_total: number; count_deletable_certified: number };
  initialCertifiedEpoch: number | null;
}

/** The combined status of the live objects of a blob; a permanent one takes precedence over deletable ones. */
export function blobStatusOf(live: readonly KnownBlob[]): BlobStatus {
  if (live.length === 0) return 'nonexistent';
  const certified = live.filter(isCertified);
  const deletableCounts = {
    count_deletable_total: live.filter(({ deletable }) => deletable).length,
    count_deletable_certified: certified.filter(({ deletable }) => deletable).length,
  };
  const epochs = certified.map(({ certificate }) => certificate.epoch);
  const initialCertifiedEpoch = epochs.length === 0 ? null : Math.min(...epochs);
  const permanent = live.filter(({ deletable }) => !deletable);
  const promised = permanent.filter(isCertified);
  const [longest] = [...(promised.length > 0 ? promised : permanent)].sort((a, b) => b.endEpoch - a.endEpoch);
  if (longest === undefined) return { deletable: { initialCertifiedEpoch, deletableCounts } };
  const { endEpoch, certificate, registration } = longest;
  return {
    permanent: {
      endEpoch,
      isCertified: certificate !== undefined,
      statusEvent: certificate?.event ?? registration,
      deletableCounts,
      initialCertifiedEpoch,
    },
  };
}
