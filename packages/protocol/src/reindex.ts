import { z } from 'zod';
import { namespaceField } from './fields.ts';
import { defaultNamespace } from './limits.ts';

/** `POST /api/reindex`: re-embeds memories whose vectors come from another model (decisions.md, "Embeddings"). */
export const reindexRequest = z.object({
  namespace: namespaceField.default(defaultNamespace),
  /** `next_cursor` of the previous call */
  cursor: z.uuid().optional(),
});
export type ReindexRequest = z.infer<typeof reindexRequest>;

/**
 * `client_encrypted`: the client that encrypted the memory must store a vector of the current model;
 * `embedding_rejected`: the provider rejects the text; `not_opened`: this credential does not open the envelope;
 * `unreadable`: no aggregator returns the blob at the moment.
 */
export type ReindexFailure = 'client_encrypted' | 'embedding_rejected' | 'not_opened' | 'unreadable';

export interface ReindexResponse {
  /** Memories that this call re-embedded */
  reindexed: number;
  /** Memories of the namespace that vector search does not find, not counting client-encrypted ones */
  stale_count: number;
  namespace: string;
  owner: string;
  /** Memories that this call could not re-embed; at most 100 */
  failed?: { id: string; reason: ReindexFailure }[];
  /** Present when there is more: pass it to the next call */
  next_cursor?: string;
}
