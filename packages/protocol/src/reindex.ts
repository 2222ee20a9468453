import { z } from 'zod';
import { namespaceField } from './fields.ts';
import { defaultNamespace } from './limits.ts';

/** `POST /api/reindex`: memories whose vectors are of another model are embedded anew (decisions.md, "Embeddings"). */
export const reindexRequest = z.object({
  namespace: namespaceField.default(defaultNamespace),
  /** `next_cursor` of the call before */
  cursor: z.uuid().optional(),
});
export type ReindexRequest = z.infer<typeof reindexRequest>;

/**
 * `client_encrypted`: the client that encrypted it has to store a vector of today's model; `embedding_rejected`: the provider
 * refuses the text; `not_opened`: its envelope does not open with this credential; `unreadable`: no aggregator has it now.
 */
export type ReindexFailure = 'client_encrypted' | 'embedding_rejected' | 'not_opened' | 'unreadable';

export interface ReindexResponse {
  /** By this call */
  reindexed: number;
  /** Memories of the namespace that no vector finds, those left out that their clients have encrypted */
  stale_count: number;
  namespace: string;
  owner: string;
  /** What could not be embedded anew in this call; at most 100 */
  failed?: { id: string; reason: ReindexFailure }[];
  /** Present when there is more: call again with it */
  next_cursor?: string;
}
