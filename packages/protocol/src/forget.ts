import { z } from 'zod';
import { namespaceField } from './fields.ts';

const blobId = z.string().regex(/^[A-Za-z0-9_-]{43}(?:[A-Za-z0-9_-]{7})?$/);

/** Memory, job or blob ids, at most 200. */
const ids = z
  .array(z.union([z.uuid(), blobId], 'must be a memory, job or blob id'))
  .min(1)
  .max(200);

/**
 * `POST /api/forget` (decisions.md, "Routes beyond the spec"). A whole namespace goes only when it is named, and all of
 * them only by `everything`: a body that lost its fields on the way must not remove anything that was not meant.
 */
export const forgetRequest = z
  .object({
    /** `default` when omitted */
    namespace: namespaceField.optional(),
    /** All of the namespace when omitted */
    ids: ids.optional(),
    /** All namespaces of the account */
    everything: z.literal(true).optional(),
  })
  .refine(({ namespace, ids, everything }) => namespace !== undefined || ids !== undefined || everything, {
    path: ['namespace'],
    message: 'must be named when everything in it is to be forgotten; or send ids',
  })
  .refine(({ namespace, ids, everything }) => !everything || (namespace === undefined && ids === undefined), {
    path: ['everything'],
    message: 'must stand alone: it takes no namespace and no ids',
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
  /** Memories that would be removed; an id of one that was forgotten before names none */
  memories: number;
  /** Those of the ids that name nothing in the namespace, neither now nor before it was forgotten */
  unknown: string[];
}

export interface ForgetResponse {
  /** Memories that this call removed; those that were gone before are not counted */
  deleted: number;
  /** Absent where everything was to be forgotten */
  namespace?: string;
  owner: string;
  /** Blob objects that the owner may delete on chain: until then the encrypted bytes stay readable for anyone */
  blobs_to_delete: string[];
  /**
   * How many blob objects also hold memories that live on. Those are stored anew first; then the same call names the
   * objects. Absent when there is none
   */
  blobs_shared?: number;
  /** When the server begins with that at the latest, RFC 3339; absent where it is at it */
  blobs_shared_until?: string;
  /** Present when there is more to forget: call again */
  more?: true;
}
