import type { BlobObject, EventId } from '../registry/blob-registry.ts';

/** The JSON that a store answers with: exactly one of the two keys (spec "Publisher"). */
export type StoreResponse = { newlyCreated: NewlyCreated } | { alreadyCertified: AlreadyCertified };

export interface NewlyCreated {
  blobObject: BlobObject & { encodingType: 'RS2' };
  resourceOperation:
    | { registerFromScratch: { encodedLength: number; epochsAhead: number } }
    | { reuseAndExtend: { encodedLength: number; epochsExtended: number } };
  /** FROST */
  cost: number;
}

/** Found by the event that certified a permanent blob, or by the publisher's own reusable object. */
export type AlreadyCertified = { blobId: string; endEpoch: number } & (
  | { event: EventId }
  | { object: string }
);

/** The object as upstream serialises it; `certifiedEpoch` is the epoch of the store, since both are one step. */
export function toBlobObject(object: BlobObject): NewlyCreated['blobObject'] {
  return {
    id: object.id,
    registeredEpoch: object.registeredEpoch,
    blobId: object.blobId,
    size: object.size,
    encodingType: 'RS2',
    certifiedEpoch: object.certifiedEpoch,
    storage: object.storage,
    deletable: object.deletable,
  };
}
