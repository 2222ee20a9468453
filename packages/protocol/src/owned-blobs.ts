import { z } from 'zod';
import { canonicalAddressPattern } from './address.ts';

/**
 * `POST /store/owned` of the sidecar: a page of the blob objects that an address owns. A restore reads all pages.
 */
const address = z.string().regex(canonicalAddressPattern);

export const ownedBlobsRequest = z.object({
  owner: address,
  /** `cursor` of the previous page */
  cursor: z.string().max(4_096).optional(),
});
export type OwnedBlobsRequest = z.infer<typeof ownedBlobsRequest>;

export const ownedBlobsResponse = z.object({
  /** The current storage epoch */
  epoch: z.number().int(),
  /** Only certified blobs: the bytes of others are not stored */
  blobs: z.array(
    z.object({
      object_id: address,
      blob_id: z.string(),
      /** Bytes */
      size: z.number().int(),
      /** First epoch in which the blob no longer exists */
      end_epoch: z.number().int(),
      certified_epoch: z.number().int(),
    }),
  ),
  /** Absent after the last page */
  cursor: z.string().optional(),
});
export type OwnedBlobsResponse = z.infer<typeof ownedBlobsResponse>;
