import { z } from 'zod';
import { namespaceField } from './fields.ts';

const blobId = z.string().regex(/^[A-Za-z0-9_-]{43}(?:[A-Za-z0-9_-]{7})?$/);

/** Memory, job or blob ids, at most 200. */
const ids = z
  .array(z.union([z.uuid(), blobId], 'must be a memory, job or blob id'))
  .min(1)
  .max(200);

/**
 * `POST /api/forget` (decisions.md, "Routes beyond the spec"). Forgetting a whole namespace requires its name, and
 * forgetting all of them requires `everything`: a request that lost its fields on the way must not delete anything.
 */
export const forgetRequest = z
  .object({
    /** If omitted: `default` */
    namespace: namespaceField.optional(),
    /** If omitted: all memories of the namespace */
    ids: ids.optional(),
    /** All namespaces of the account */
    everything: z.literal(true).optional(),
  })
  .refine(({ namespace, ids, everything }) => namespace !== undefined || ids !== undefined || everything, {
    path: ['namespace'],
    message: 'must be set to forget a whole namespace; otherwise send ids',
  })
  .refine(({ namespace, ids, everything }) => !everything || (namespace === undefined && ids === undefined), {
    path: ['everything'],
    message: 'cannot be combined with a namespace or ids',
  });
export type ForgetRequest = z.infer<typeof forgetRequest>;

/** `POST /api/forget/preview`: what a forget of these ids would remove. */
export const forgetPreviewRequest = z.object({
  /** `default` when omitted */
  namespace: namespaceField.optional(),
  ids,
});
export type ForgetPreviewRequest = z.infer<typeof forgetPreviewRequest>;

export interface ForgetPreview {
  namespace: string;
  /** Memories that would be removed; ids of already forgotten memories are not counted */
  memories: number;
  /** Ids that are not in the namespace and never were */
  unknown: string[];
}

export interface ForgetResponse {
  /** Memories that this call removed, not counting ones that were already forgotten */
  deleted: number;
  /** Absent with `everything` */
  namespace?: string;
  owner: string;
  /** Blob objects that the owner may delete on chain. Until then anyone can fetch the encrypted bytes */
  blobs_to_delete: string[];
  /**
   * Number of blob objects that also hold memories to keep. The server first stores those memories again; afterwards the same
   * call returns the objects. Absent when there are none
   */
  blobs_shared?: number;
  /** Latest time at which the server begins to repack, RFC 3339; absent while it is doing so */
  blobs_shared_until?: string;
  /** Present when there is more to forget: call again */
  more?: true;
}
