import { z } from 'zod';
import { hex32Pattern } from './bytes.ts';
import { limits } from './limits.ts';

/** `POST /api/keys` and `POST /api/keys/rewrap`: the keys that memories are sealed to, and new wraps for them. */

export interface KeyEntry {
  namespace: string;
  /** Namespace tag, 32 hex digits */
  tag: string;
  key_epoch: number;
  /** X25519 public key, 64 hex digits */
  recipient_pk: string;
  /** Whether the current key servers can open it */
  current: boolean;
  /** As in envelopes; `bytes` is base64 */
  wraps: { type: number; bytes: string }[];
}

export interface KeysResponse {
  keys: KeyEntry[];
}

const publicKey = z.string().regex(hex32Pattern, 'must be 64 lower-case hex digits');

export const rewrapRequest = z.object({
  /** Wraps for the current key servers, made by the caller; if omitted, the server makes them */
  keys: z
    .array(z.object({ recipient_pk: publicKey, wrap: z.base64().max(4_096) }))
    .min(1)
    .max(limits.bulkItems)
    .optional(),
  /** `next` of the previous call */
  after: publicKey.optional(),
});
export type RewrapRequest = z.infer<typeof rewrapRequest>;

export interface RewrapResponse {
  /** One upload job per key, which sends its new wrap to the owner */
  job_ids: string[];
  /** Keys whose wraps could not be opened, and why */
  failed: { recipient_pk: string; reason: string }[];
  /** Present when there are more: the `after` of the next call */
  next?: string;
}
