import { z } from 'zod';
import { checkContextSize, contextFields } from './context-fields.ts';
import { idempotencyKeyField, limitField, newNamespaceField, textField, timeField } from './fields.ts';
import { defaultNamespace, limits } from './limits.ts';
import type { LlmUsage } from './llm-usage.ts';
import { type MemoryHit, recallRequest } from './memories.ts';

/** Requests and responses of the two routes that use a language model (spec "Relayer routes"). */

export const analyzeRequest = z
  .object({
    /** Facts are extracted from it; the text itself is not stored */
    text: textField(limits.analyzeTextBytes),
    namespace: newNamespaceField.default(defaultNamespace),
    /** When the events in the text happened; resolves relative dates such as "yesterday" */
    occurred_at: timeField.optional(),
    idempotency_key: idempotencyKeyField.optional(),
    /** Only return the facts; nothing is stored, and an idempotency key has no effect */
    dry_run: z.boolean().optional(),
    ...contextFields,
  })
  .superRefine(checkContextSize);
export type AnalyzeRequest = z.infer<typeof analyzeRequest>;

export interface AnalyzedFact {
  text: string;
  /** Id of the memory */
  id: string;
  /** Id of the job that stores it; the same as `id` */
  job_id: string;
  /** From 0 to 1 */
  importance: number;
  /** Memories that this fact replaces: they are kept, and count half in a recall */
  supersedes?: string[];
}

/** A fact that is not stored because a memory already states it */
export interface UnchangedFact {
  text: string;
  /** Id of that memory */
  id: string;
  /** Absent while that memory is pending */
  blob_id?: string;
}

export interface AnalyzeAccepted {
  /** In the order of `facts` */
  job_ids: string[];
  facts: AnalyzedFact[];
  fact_count: number;
  status: 'pending';
  owner: string;
  /** Absent if there are none */
  unchanged?: UnchangedFact[];
  /** Present when existing memories could not be read, so already known facts may be stored again */
  context?: 'unavailable';
  /** Absent if no model was called */
  usage?: LlmUsage;
  /** True when the text was split into sentences, because no model is configured */
  mock?: true;
}

/** Answer to `dry_run`: what a call without it would store. */
export interface AnalyzePreview extends Omit<AnalyzeAccepted, 'job_ids' | 'facts' | 'status'> {
  dry_run: true;
  facts: Omit<AnalyzedFact, 'id' | 'job_id'>[];
}

const { query: _query, limit: _limit, ...likeRecall } = recallRequest.shape;

export const askRequest = z.object({
  ...likeRecall,
  question: textField(limits.queryBytes),
  limit: limitField(limits.askLimit),
});
export type AskRequest = z.infer<typeof askRequest>;

export interface AskResponse {
  /** `[1]` in it names the first of `memories` */
  answer: string;
  /** False when the memories do not contain the answer */
  known: boolean;
  memories_used: number;
  /** The memories that the answer cites, in citation order */
  memories: MemoryHit[];
  /** Matches that could not be read, when there were any */
  dropped_count?: number;
  /** True when only the beginning of a long question was used for the search */
  query_truncated?: true;
  usage?: LlmUsage;
  mock?: true;
}

/** Events of a streamed answer: any number of `delta`, then one `done`, or an `error` in its place. */
export interface AskEvents {
  /** The next piece of `answer` */
  delta: { text: string };
  done: AskResponse;
  /** The error body, as for any route */
  error: { error: string; message: string; request_id: string };
}
