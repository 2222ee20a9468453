import { z } from 'zod';
import { hex32Pattern } from './bytes.ts';
import { limitField, namespaceField } from './fields.ts';
import { defaultNamespace, limits } from './limits.ts';

/** `POST /api/restore` (decisions.md, "Restore"). */
export const restoreRequest = z.object({
  namespace: namespaceField.default(defaultNamespace),
  /** Memories restored by one call */
  limit: limitField(limits.restoreLimit),
  /** Additional trusted writers, Ed25519 keys in hex; requires WRITE */
  trusted_writers: z
    .array(z.string().regex(hex32Pattern, 'must be 64 lower-case hex digits'))
    .max(200)
    .optional(),
});
export type RestoreRequest = z.infer<typeof restoreRequest>;

export interface RestoreResponse {
  /** Memories that this call restored */
  restored: number;
  /** Already indexed, or forgotten */
  skipped: number;
  /** Memories of the namespace found on chain so far, without the unverified ones */
  total: number;
  namespace: string;
  owner: string;
  /** RFC 3339: when the owner's objects were listed. Memories stored later are not counted */
  as_of?: string;
  /** Not signed by a trusted writer: never indexed */
  unverified?: number;
  /** Blobs that this call could not read or open; at most 100 */
  failed?: { blob_id: string; reason: string }[];
  /** Present when there is more: call again */
  more?: true;
}
