import { z } from 'zod';
import { limitField, namespaceField } from './fields.ts';
import { limits } from './limits.ts';

/** Requests and answers of the routes that tell what is stored, without its text (decisions.md, "Routes beyond the spec"). */

export const memoriesRequest = z.object({
  /** Every namespace in the signer's scope when omitted */
  namespace: namespaceField.optional(),
  /** `next_cursor` of the page before */
  cursor: z.string().max(512).optional(),
  limit: limitField(limits.listLimit),
});
export type MemoriesRequest = z.infer<typeof memoriesRequest>;

/**
 * Why a memory cannot be read any more: its blob was not paid for any longer, or is gone before its time. The memory is
 * kept, and comes back when its blob does.
 */
export type LostReason = 'expired' | 'missing';

export interface MemoryEntry {
  id: string;
  /** Absent only while `pending` */
  blob_id?: string;
  namespace: string;
  created_at: string;
  /** Bytes of the encrypted memory */
  size: number;
  importance: number;
  /** The storage epoch at whose start the blob expires; absent while it is not known */
  expires_epoch?: number;
  /** Accepted and safe, on the way to the blob store */
  pending?: true;
  /** An earlier memory that says nearly the same, and the cosine of the two */
  near_duplicate_of?: string;
  similarity?: number;
  /** The memory that replaces it: it stays, and counts half in a recall */
  superseded_by?: string;
  /** Present when the blob is gone: no recall finds the memory */
  lost?: LostReason;
}

export interface MemoriesResponse {
  /** Newest first */
  memories: MemoryEntry[];
  /** Present when there are more */
  next_cursor?: string;
}

export interface NamespaceEntry {
  namespace: string;
  memory_count: number;
  /** Bytes of the encrypted memories */
  storage_bytes: number;
  newest: string;
  oldest: string;
}

export interface NamespacesResponse {
  owner: string;
  /** In the order of their names */
  namespaces: NamespaceEntry[];
}

/** `GET /v1/owners/{owner}/namespaces`: the same in the words of the original system's client, always as one page. */
export interface OwnerNamespacesResponse {
  owner: string;
  namespaces: (NamespaceEntry & { id: string; name: string; storage_used: number; updated_at: string })[];
  has_more: false;
  /** It has no meaning here */
  snapshot_version: 0;
}

/**
 * Of the namespaces in the signer's scope. `failed_ids`: at most 20 failed jobs, to be retried; absent without one.
 * `jobs.namespaces`: where there are jobs, also where nothing is stored yet; absent without one. `blobs_to_delete`: at
 * most 200 blob objects of the owner that no memory needs, because a blob was paid for twice or came after its memory was
 * forgotten; absent without one.
 */
export interface StatsResponse {
  owner: string;
  memory_count: number;
  storage_bytes: number;
  /** Absent without a memory */
  newest?: string;
  oldest?: string;
  /** Memories that no recall finds until they are embedded anew: their vectors are of another model */
  stale_count: number;
  /** Those of `memory_count` whose blobs are gone, by reason; absent without one */
  lost?: Partial<Record<LostReason, number>>;
  /** What expires soon; absent while the present storage epoch cannot be learnt */
  expiry?: {
    /** The present storage epoch */
    epoch: number;
    /** Memories that expire within the next epochs, and their bytes */
    soon_count: number;
    soon_bytes: number;
    /** When the first of them does; absent without one */
    first_epoch?: number;
    /** Whether the relayer stores them once more before that */
    renewed: boolean;
  };
  jobs: { running: number; failed: number; failed_ids?: string[]; namespaces?: string[] };
  blobs_to_delete?: string[];
  namespaces: NamespaceEntry[];
}
