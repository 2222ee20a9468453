import type { ChainClient } from '@memrelay/chain/chain-client';
import { blobIdFromInteger, walrusEventBcs } from '@memrelay/chain/walrus-bcs';
import type { SuiClientTypes } from '@mysten/sui/client';
import { parseStructTag } from '@mysten/sui/utils';
import type { EventId } from '../blob-registry.ts';
import { ObjectIndex } from '../object-index.ts';

/** A blob object according to its events. It may have been burnt or wrapped since, which emits no event. */
export interface KnownBlob {
  objectId: string;
  blobId: string;
  size: number;
  registeredEpoch: number;
  /** Exclusive */
  endEpoch: number;
  deletable: boolean;
  registration: EventId;
  /** The most recent certification, by the first certificate or an extension; absent before */
  certificate?: { epoch: number; event: EventId };
}

export type CertifiedBlob = KnownBlob & Required<Pick<KnownBlob, 'certificate'>>;

export function isCertified(blob: KnownBlob): blob is CertifiedBlob {
  return blob.certificate !== undefined;
}

/**
 * All blob objects that have not expired, computed from the events of Walrus, regardless of who registered,
 * certified, extended or deleted them and of who owns them.
 */
export interface BlobIndex {
  objects: ObjectIndex<KnownBlob>;
  /** Reads all events since the last time. Throws `ChainUnavailableError` and `ChainRejectedError`. */
  catchUp(): Promise<void>;
  /** Applies the events of a transaction that has just been executed, before they are listed. */
  take(events: SuiClientTypes.Event[], txDigest: string): void;
  /** Whether an object of the blob was deleted in the given epoch. */
  wasDeletedIn(blobId: string, epoch: number): boolean;
  /** Whether an object of the blob was deleted or has expired, until `forgetBlob` is called. */
  hasEnded(blobId: string): boolean;
  forgetBlob(blobId: string): void;
  /** Drops objects that have expired by `epoch`. */
  prune(epoch: number): void;
  /** Calls `listener` with the blob of every later deletion. */
  onDeleted(listener: (blobId: string) => void): void;
}

/** Events per page. Public full nodes may return fewer. */
const pageSize = 1000;

export function createBlobIndex(chain: ChainClient, packageId: string): BlobIndex {
  const objects = new ObjectIndex<KnownBlob>();
  /** By blob id: the last epoch in which an object of it was deleted */
  const deletions = new Map<string, number>();
  /** Deleted objects whose earlier events are not listed yet; those events must not restore them */
  const deletedAhead = new Set<string>();
  const ended = new Set<string>();
  const listeners: ((blobId: string) => void)[] = [];
  let cursor: string | null = null;

  function register(bytes: Uint8Array, registration: EventId): void {
    const event = walrusEventBcs.BlobRegistered.parse(bytes);
    const objectId = event.object_id;
    // An event that is listed after its transaction was applied is already known.
    if (objects.get(objectId) !== undefined || deletedAhead.has(objectId)) return;
    objects.set({
      objectId,
      blobId: blobIdFromInteger(event.blob_id),
      size: Number(event.size),
      registeredEpoch: event.epoch,
      endEpoch: event.end_epoch,
      deletable: event.deletable,
      registration,
    });
  }

  function certify(bytes: Uint8Array, event: EventId): void {
    const { object_id, end_epoch, epoch } = walrusEventBcs.BlobCertified.parse(bytes);
    const known = objects.get(object_id);
    // No event shortens a lifetime, so an event that would is outdated.
    if (known === undefined || (known.certificate && known.endEpoch > end_epoch)) return;
    objects.set({ ...known, endEpoch: end_epoch, certificate: { epoch, event } });
  }

  function remove(bytes: Uint8Array, isListed: boolean): void {
    const { object_id, blob_id, epoch } = walrusEventBcs.BlobDeleted.parse(bytes);
    const blobId = blobIdFromInteger(blob_id);
    objects.delete(object_id);
    deletions.set(blobId, epoch);
    ended.add(blobId);
    if (isListed) deletedAhead.delete(object_id);
    else deletedAhead.add(object_id);
    for (const listener of listeners) listener(blobId);
  }

  function apply({ eventType, bcs }: SuiClientTypes.Event, event: EventId, isListed: boolean): void {
    const { name } = parseStructTag(eventType);
    if (name === 'BlobRegistered') register(bcs, event);
    else if (name === 'BlobCertified') certify(bcs, event);
    else if (name === 'BlobDeleted') remove(bcs, isListed);
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
          apply(event, { txDigest, eventSeq: String(eventIndex) }, true);
        }
        cursor = page.endCursor ?? cursor;
        more = page.hasNextPage;
      }
    },

    take(events, txDigest) {
      for (const [position, event] of events.entries()) {
        apply(event, { txDigest, eventSeq: String(position) }, false);
      }
    },

    hasEnded: (blobId) => ended.has(blobId),

    forgetBlob: (blobId) => void ended.delete(blobId),

    wasDeletedIn: (blobId, epoch) => deletions.get(blobId) === epoch,

    prune(epoch) {
      for (const { blobId } of objects.prune(epoch)) ended.add(blobId);
      for (const [blobId, deletedIn] of deletions) if (deletedIn < epoch) deletions.delete(blobId);
    },

    onDeleted: (listener) => void listeners.push(listener),
  };
}
