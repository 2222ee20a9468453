import { z } from 'zod';
import { canonicalAddressPattern } from './address.ts';

/**
 * `POST /store/owned` of the sidecar: a page of the blob objects that an address owns, for a restore, which goes through
 * all of them a page at a time.
 */
const address = z.string().regex(canonicalAddressPattern);

export const ownedBlobsRequest = z.object({
  owner: address,
  /** Of the page before */
  cursor: z.string().max(4_096).optional(),
});
export type OwnedBlobsRequest = z.infer<typeof ownedBlobsRequest>;

export const ownedBlobsResponse = z.object({
  /** The present storage epoch */
  epoch: z.number().int(),
  /** Only certified ones: the bytes of others are not stored */
  blobs: z.array(
    z.object({
      object_id: address,
      blob_id: z.string(),
      /** Bytes */
      size: z.number().int(),
      /** The first epoch in which it is gone */
      end_epoch: z.number().int(),
      certified_epoch: z.number().int(),
    }),
  ),
  /** Absent after the last page */
  cursor: z.string().optional(),
});
export type OwnedBlobsResponse = z.infer<typeof ownedBlobsResponse>;
