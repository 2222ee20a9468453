import type { ChainClient } from '@memrelay/chain/chain-client';
import { blobIdFromInteger, walrusEventBcs } from '@memrelay/chain/walrus-bcs';
import type { SuiClientTypes } from '@mysten/sui/client';
import { parseStructTag } from '@mysten/sui/utils';
import type { CertifiedObject, EventId } from '../blob-registry.ts';
import { ObjectIndex } from '../object-index.ts';

/**
 * Which blob objects are certified, from the events of Walrus: whoever stored, prolonged or deleted them, and
 * whoever owns them now.
 */
export interface CertifiedIndex {
  objects: ObjectIndex<CertifiedObject>;
  /** Reads all events since the last time. Throws `ChainUnavailableError` and `ChainRejectedError`. */
  catchUp(): Promise<void>;
  /** Takes the events of a transaction that has just been executed, before they are listed. */
  take(events: SuiClientTypes.Event[], txDigest: string): void;
}

/** Public full nodes shorten a page to what they allow. */
const pageSize = 1000;

type Change = { certified: CertifiedObject } | { deleted: string } | undefined;

function readEvent({ eventType, bcs }: SuiClientTypes.Event, event: EventId): Change {
  const { name } = parseStructTag(eventType);
  if (name === 'BlobDeleted') return { deleted: walrusEventBcs.BlobDeleted.parse(bcs).object_id };
  if (name !== 'BlobCertified') return undefined;
  const { object_id, blob_id, end_epoch, deletable } = walrusEventBcs.BlobCertified.parse(bcs);
  const blobId = blobIdFromInteger(blob_id);
  const certified = { objectId: object_id, blobId, endEpoch: end_epoch, deletable, event, owned: false };
  return { certified };
}

export function createCertifiedIndex(
  chain: ChainClient,
  packageId: string,
  kept: ReadonlySet<string>,
): CertifiedIndex {
  const objects = new ObjectIndex<CertifiedObject>();
  let cursor: string | null = null;

  function apply(change: Change): void {
    if (change === undefined) return;
    if ('deleted' in change) objects.delete(change.deleted);
    else objects.set({ ...change.certified, owned: kept.has(change.certified.objectId) });
  }

  return {
    objects,

    async catchUp() {
      for (let more = true; more; ) {
        const page: SuiClientTypes.ListEventsResponse = await chain.call((sui, signal) =>
          sui.core.listEvents({
            filter: { eventType: `${packageId}::events` },
            after: cursor,
            limit: pageSize,
            signal,
          }),
        );
        for (const event of page.events) {
          const { transactionDigest: txDigest, eventIndex } = event;
          apply(readEvent(event, { txDigest, eventSeq: String(eventIndex) }));
        }
        cursor = page.endCursor ?? cursor;
        more = page.hasNextPage;
      }
    },

    take(events, txDigest) {
      for (const [position, event] of events.entries()) {
        apply(readEvent(event, { txDigest, eventSeq: String(position) }));
      }
    },
  };
}
