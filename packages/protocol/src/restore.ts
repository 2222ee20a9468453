import { z } from 'zod';
import { hex32Pattern } from './bytes.ts';
import { limitField, namespaceField } from './fields.ts';
import { defaultNamespace, limits } from './limits.ts';

/** `POST /api/restore` (decisions.md, "Restore"). */
export const restoreRequest = z.object({
  namespace: namespaceField.default(defaultNamespace),
  /** Memories restored by one call */
  limit: limitField(limits.restoreLimit),
  /** Ed25519 keys, hex, whose signatures the caller vouches for; needs WRITE */
  trusted_writers: z
    .array(z.string().regex(hex32Pattern, 'must be 64 lower-case hex digits'))
    .max(200)
    .optional(),
});
export type RestoreRequest = z.infer<typeof restoreRequest>;

export interface RestoreResponse {
  /** By this call */
  restored: number;
  /** Indexed already, or forgotten */
  skipped: number;
  /** Memories of the namespace on chain, as far as they are found, without the unverified ones */
  total: number;
  namespace: string;
  owner: string;
  /** RFC 3339: when the owner's objects were listed; what was stored later is not in these counts */
  as_of?: string;
  /** Signed by nobody who is believed: never indexed */
  unverified?: number;
  /** What could not be read or opened in this call; at most 100 */
  failed?: { blob_id: string; reason: string }[];
  /** Present when there is more: call again */
  more?: true;
}
