import type { BlobObject, EventId, PaidObject } from '../registry/blob-registry.ts';

/** The JSON response of a store. It has exactly one of the two keys (spec "Publisher"). */
export type StoreResponse = { newlyCreated: NewlyCreated } | { alreadyCertified: AlreadyCertified };

export interface NewlyCreated {
  blobObject: BlobObject & { encodingType: 'RS2' };
  resourceOperation: ResourceOperation;
  /** FROST */
  cost: number;
  /** Id of the SharedBlob object, if `share=true` requested one */
  sharedBlobObject?: string;
}

/** How the publisher obtained the object. `encodedLength` is in bytes. */
export type ResourceOperation =
  | { registerFromScratch: { encodedLength: number; epochsAhead: number } }
  | { reuseStorage: { encodedLength: number } }
  | { reuseRegistration: { encodedLength: number } }
  | { reuseAndExtend: { encodedLength: number; epochsExtended: number } }
  | { reuseAndExtendNonCertified: { encodedLength: number; epochsExtended: number } };

/** Found by the event that certified a permanent blob, or by the publisher's own reusable object. */
export type AlreadyCertified = { blobId: string; endEpoch: number } & (
  | { event: EventId }
  | { object: string }
);

/** The object with the keys and their order as serialized upstream. */
export function toBlobObject<T extends number | null>(
  object: Omit<BlobObject, 'certifiedEpoch'> & { certifiedEpoch: T },
) {
  const { id, registeredEpoch, blobId, size, certifiedEpoch, storage, deletable } = object;
  const encodingType = 'RS2' as const;
  return { id, registeredEpoch, blobId, size, encodingType, certifiedEpoch, storage, deletable };
}

export function newlyCreated(paid: PaidObject, resourceOperation: ResourceOperation): StoreResponse {
  const { object, cost, sharedBlobObject } = paid;
  const shared = sharedBlobObject === undefined ? {} : { sharedBlobObject };
  return { newlyCreated: { blobObject: toBlobObject(object), resourceOperation, cost, ...shared } };
}
