import { z } from 'zod';
import { type SealedContext, tagFilterField } from './context-fields.ts';
import { limitField, namespaceField } from './fields.ts';
import { limits } from './limits.ts';

/** Requests and responses of the routes that list what is stored (decisions.md, "Routes beyond the spec"). */

export const memoriesRequest = z
  .object({
    /** If omitted: every namespace in the signer's scope */
    namespace: namespaceField.optional(),
    /** `next_cursor` of the previous page */
    cursor: z.string().max(512).optional(),
    limit: limitField(limits.listLimit),
    /** Tags are known per namespace, so `namespace` is needed with them */
    tags: tagFilterField.optional(),
    /** Also return the texts and context fields; needs a decrypt credential */
    texts: z.boolean().optional(),
  })
  .refine(({ namespace, tags }) => !tags || namespace !== undefined, {
    path: ['namespace'],
    message: 'is required with tags',
  });
export type MemoriesRequest = z.infer<typeof memoriesRequest>;

/**
 * Why a memory cannot be read any more: its blob expired, or disappeared before its end. The memory is kept, and
 * becomes readable again when its blob returns.
 */
export type LostReason = 'expired' | 'missing';

/**
 * Why an entry of a list with texts has no text: its blob is `lost`; no aggregator or key server responds, so a retry may
 * help (`unavailable`); or its bytes cannot be opened by this caller (`unreadable`), for example because a client
 * encrypted them in its own format.
 */
export type TextError = 'lost' | 'unavailable' | 'unreadable';

/** The text and the context fields are present only if the request has `texts`, and the memory can be read. */
export interface MemoryEntry extends SealedContext {
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
  /** Accepted and durable, but not uploaded yet */
  pending?: true;
  /** An earlier memory with nearly the same text; `similarity` is the cosine of the two */
  near_duplicate_of?: string;
  similarity?: number;
  /** The memory that replaces this one, which is kept and counts half in a recall */
  superseded_by?: string;
  /** Present when the blob is gone; recall does not find such a memory */
  lost?: LostReason;
  text?: string;
  /** Instead of `text`, if the request has `texts` and the memory cannot be read */
  error?: TextError;
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
  /** Ordered by name */
  namespaces: NamespaceEntry[];
}

/** `GET /v1/owners/{owner}/namespaces`: the same with the field names of the original system's client, always one page. */
export interface OwnerNamespacesResponse {
  owner: string;
  namespaces: (NamespaceEntry & { id: string; name: string; storage_used: number; updated_at: string })[];
  has_more: false;
  /** Required by the original client; always 0 here */
  snapshot_version: 0;
}

/**
 * What renewing everything for a year costs at current on-chain prices: each renewal stores everything again, for `epochs`
 * epochs, and envelopes count with their average size. Amounts are in FROST (1e-9 WAL), decimal, without gas.
 */
export interface CostForecast {
  /** STORE_EPOCHS of the relayer */
  epochs: number;
  renewals_per_year: number;
  per_quilt: number;
  /** With a separate blob for each memory */
  alone_frost: string;
  /** In quilts of `per_quilt` memories */
  quilted_frost: string;
}

/**
 * Covers the namespaces in the signer's scope. Lists are absent when empty. `failed_ids`: at most 20 failed jobs that can
 * be retried. `jobs.namespaces`: every namespace with jobs, even if nothing is stored there yet. `blobs_to_delete`: at
 * most 200 blob objects of the owner that no memory needs, because a blob was paid for twice or was stored after its
 * memory was forgotten.
 */
export interface StatsResponse {
  owner: string;
  memory_count: number;
  storage_bytes: number;
  /** Absent if there are no memories */
  newest?: string;
  oldest?: string;
  /** Memories with vectors of another model, which vector search does not find until they are re-embedded */
  stale_count: number;
  /** How many of `memory_count` are lost, by reason; absent when none are */
  lost?: Partial<Record<LostReason, number>>;
  /** Memories that expire soon; absent while the current storage epoch is unknown */
  expiry?: {
    /** The current storage epoch */
    epoch: number;
    /** Memories that expire within the next epochs, and their bytes */
    soon_count: number;
    soon_bytes: number;
    /** Epoch in which the first of them expires; absent when none */
    first_epoch?: number;
    /** Whether the relayer renews them before they expire */
    renewed: boolean;
    /** Duration of a storage epoch in ms */
    epoch_ms: number;
    /** Stored memories by the epoch at whose start their blobs expire, the nearest first; at most 60 */
    ends: { epoch: number; count: number; bytes: number }[];
  };
  /** Absent if nothing is stored, or while the prices of storage are unknown */
  forecast?: CostForecast;
  jobs: { running: number; failed: number; failed_ids?: string[]; namespaces?: string[] };
  blobs_to_delete?: string[];
  /**
   * Keys of the account whose requests this relayer has accepted since it started, and when last (RFC 3339). Only for keys
   * with access to all namespaces
   */
  key_uses?: { public_key: string; last_used: string }[];
  namespaces: NamespaceEntry[];
}
