import { z } from 'zod';
import { checkContextSize, replacingFields, type SealedContext } from './context-fields.ts';
import { idempotencyKeyField, namespaceField, textField } from './fields.ts';
import { limits } from './limits.ts';
import type { LostReason } from './memory-lists.ts';

/** Requests and responses of the routes that name one memory in their path (decisions.md, "Routes beyond the spec"). */

/** Query of `GET /api/memories/:id` */
export const memoryQuery = z.object({
  /** If given, a memory of another namespace is not found. An id alone is enough: ids are unique in an account */
  namespace: namespaceField.optional(),
});
export type MemoryQuery = z.infer<typeof memoryQuery>;

export const replaceRequest = z
  .object({
    text: textField(limits.textBytes),
    /** As in `memoryQuery`. The new text is stored in the namespace of the memory that it replaces */
    namespace: namespaceField.optional(),
    idempotency_key: idempotencyKeyField.optional(),
    /** All but `happened_at` are kept from the memory unless the request has them; null drops one */
    ...replacingFields,
  })
  .superRefine(checkContextSize);
export type ReplaceRequest = z.infer<typeof replaceRequest>;

/** An earlier or later version of a memory. */
export interface MemoryVersion {
  id: string;
  created_at: string;
  /** Absent if it cannot be read, or if the texts of the history are larger than 1 MiB together */
  text?: string;
}

/** Versions that supersede each other, directly or through others; each list has at most 50, the nearest first. */
export interface MemoryHistory {
  /** What this memory replaces */
  earlier: MemoryVersion[];
  /** What replaces this memory. Several may replace the same one */
  later: MemoryVersion[];
}

/** One of the keys of `POST /api/keys` */
export interface SealedTo {
  key_epoch: number;
  /** X25519 public key, 64 hex digits */
  recipient_pk: string;
}

/** The context fields are present if the memory has them and its text can be read. */
export interface SingleMemory extends SealedContext {
  id: string;
  namespace: string;
  /** `pending`: accepted and durable, but not uploaded yet. `lost`: its blob is gone */
  state: 'pending' | 'done' | 'lost';
  lost?: LostReason;
  /** Absent if it cannot be read */
  text?: string;
  created_at: string;
  /** Absent while pending */
  blob_id?: string;
  /** The blob object on chain; absent while it is not known. A quilt's object holds other memories, too */
  object_id?: string;
  /** The storage epoch at whose start the blob expires; absent while it is not known */
  expires_epoch?: number;
  /** The namespace key that it is encrypted to; absent if the text cannot be read */
  sealed_to?: SealedTo;
  /** Bytes of the encrypted memory */
  size: number;
  importance: number;
  /** The memory that replaces it, the newest if there are several */
  superseded_by?: string;
  history: MemoryHistory;
}
