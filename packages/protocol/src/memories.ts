import { z } from 'zod';
import { base64ByteLength, base64Pattern, hex32Pattern } from './bytes.ts';
import { checkContextSize, contextFields, type SealedContext, tagFilterField } from './context-fields.ts';
import {
  base64Field,
  idempotencyKeyField,
  limitField,
  namespaceField,
  newNamespaceField,
  scoringWeightsField,
  textField,
  vectorField,
} from './fields.ts';
import type { HitExplanation } from './hit-explanation.ts';
import { defaultNamespace, limits } from './limits.ts';
import type { LlmUsage } from './llm-usage.ts';
import { fieldsRefused } from './manual-fields.ts';
import { privateIndexField, privateQuestionField } from './private-fields.ts';

/** Requests and responses of the memory routes (spec "Relayer routes"). */

const namespace = namespaceField.default(defaultNamespace);
const newNamespace = newNamespaceField.default(defaultNamespace);
const jobId = z.string().max(128);

/** As the `idempotency-key` header, which takes precedence */
const idempotency_key = idempotencyKeyField.optional();
const text = textField(limits.textBytes);

export const rememberRequest = z
  .object({ text, namespace: newNamespace, idempotency_key, ...contextFields })
  .superRefine(checkContextSize);

const rememberItem = z
  .object({ text, namespace: newNamespace, ...contextFields })
  .superRefine(checkContextSize);

export const rememberBulkRequest = z.object({
  items: z.array(rememberItem).min(1).max(limits.bulkItems),
  idempotency_key,
});

export const bulkStatusRequest = z.object({ job_ids: z.array(jobId).min(1).max(limits.bulkItems) });

export const recallRequest = z.object({
  /** What to look for: a question, or the words of a memory */
  query: textField(limits.queryBytes),
  limit: limitField(limits.recallLimit),
  namespace,
  /** Whether to return memories whose upload has not finished */
  include_pending: z.boolean().default(false),
  scoring_weights: scoringWeightsField.optional(),
  /** Hits with a lower score are left out; the default depends on the embedding model (`GET /config`) */
  min_score: z.number().optional(),
  /** Let the chat model sort the best 30 hits */
  rerank: z.boolean().optional(),
  /** How many memories to return that were stored before each hit, and after it */
  context: z.int().min(0).max(limits.contextMemories).optional(),
  /** Whether to say for each hit why it has its rank */
  explain: z.boolean().default(false),
  /** Only memories whose tags pass this filter */
  tags: tagFilterField.optional(),
});
export type RecallRequest = z.infer<typeof recallRequest>;

const maxBase64Length = Math.ceil(limits.encryptedDataBytes / 3) * 4;

/** The name of an embedding model, as stored with every vector. */
const embeddingModel = z.string().regex(/^[!-~]{1,200}$/, 'must be 1 to 200 visible ASCII characters');

export const rememberManualRequest = z.object({
  /** The envelope, standard base64 */
  encrypted_data: z.string().superRefine((text, context) => {
    if (
      text.length === 0 ||
      text.length > maxBase64Length ||
      base64ByteLength(text) > limits.encryptedDataBytes
    )
      context.addIssue(`must decode to 1 to ${limits.encryptedDataBytes} bytes`);
    else if (!base64Pattern.test(text)) context.addIssue('must be standard base64');
  }),
  /**
   * Unit vector of the text; as many numbers as `GET /config` says. Required, except in a private namespace, where it is
   * mapped under the search secret
   */
  vector: vectorField.optional(),
  /** For a long text: the vectors of its second and later chunks (coarse-vectors.ts) */
  chunk_vectors: base64Field(limits.bodyBytes, 'must be vectors as signed bytes').optional(),
  /** The model that made the vectors; if omitted, the relayer's own */
  embedding_model: embeddingModel.optional(),
  importance: z.number().optional(),
  namespace: newNamespace,
  idempotency_key,
  /** If false, the response is 202 with the job, as soon as the memory is accepted */
  wait: z.boolean().default(true),
  /** For clients that seal again on each retry: with an `idempotency-key`, compared instead of the body */
  repeat_tag: z.string().regex(hex32Pattern, 'must be 64 hex digits').optional(),
  /** Index data of a memory in a private namespace */
  private: privateIndexField.optional(),
  /** In a private namespace, by a writer that may not read it: a reader's client adds the index data later */
  needs_index: z.literal(true).optional(),
  ...fieldsRefused,
});
export type RememberManualRequest = z.infer<typeof rememberManualRequest>;

export const recallManualRequest = z.object({
  /** Required, except in a private namespace, where a question may have words alone */
  vector: vectorField.optional(),
  limit: limitField(limits.recallLimit),
  namespace,
  embedding_model: embeddingModel.optional(),
  include_pending: z.boolean().default(false),
  scoring_weights: scoringWeightsField.optional(),
  min_score: z.number().optional(),
  /** What the question looks for, in a private namespace */
  private: privateQuestionField.optional(),
  /** In a private namespace: return stored envelopes with their hits, as many as fit into the response */
  include_envelopes: z.boolean().default(false),
  /** In a private namespace: say for each hit why it has its rank */
  explain: z.boolean().default(false),
  tags: fieldsRefused.tags,
});
export type RecallManualRequest = z.infer<typeof recallManualRequest>;

export interface RememberAccepted {
  job_id: string;
  status: 'running';
}

/** Added to the response of a manual write whose bytes no reader of the account can decrypt. */
export interface OpaqueNote {
  opaque?: true;
  /** Explains the consequences to a person */
  message?: string;
}

/** A manual write with `wait: false`. */
export interface ManualAccepted extends RememberAccepted, OpaqueNote {}

export interface RememberBulkAccepted {
  job_ids: string[];
  total: number;
  status: 'running';
}

export type JobStage = 'queued' | 'embedding' | 'uploading' | 'indexing';

/** A memory job as polled (decisions.md, "Jobs"). */
export interface JobRecord {
  job_id: string;
  status: 'running' | 'done' | 'failed';
  owner: string;
  namespace: string;
  /** Present once done */
  blob_id?: string;
  /**
   * True when the text was already stored; `blob_id` is then that of the existing memory. Sent only to keys that may read
   * the namespace
   */
  deduplicated?: true;
  /**
   * An earlier memory of the namespace with nearly the same text, and the cosine of the two. Both are kept. Sent only to
   * keys that may read the namespace.
   */
  near_duplicate_of?: string;
  similarity?: number;
  stage?: JobStage;
  attempts?: number;
  created_at?: string;
  updated_at?: string;
  next_retry_at?: string;
  /** Why the last attempt failed, for a person */
  error?: string;
  /** The same for a program: a code of `jobErrorCatalogue`. Present whenever `error` is present */
  error_code?: string;
}

export interface BulkStatusResult {
  job_id: string;
  status: JobRecord['status'] | 'not_found';
  blob_id?: string;
  deduplicated?: true;
  near_duplicate_of?: string;
  similarity?: number;
  error?: string;
  error_code?: string;
}

/** In the order of the request. */
export interface BulkStatusResponse {
  results: BulkStatusResult[];
}

export interface MemoryHit extends SealedContext {
  id: string;
  /** Absent only while `pending` */
  blob_id?: string;
  text: string;
  /** 1 − cosine; 1 if `stale` */
  distance: number;
  score?: number;
  created_at?: string;
  pending?: true;
  /** The vector comes from an earlier model, so the memory was found only by its words */
  stale?: true;
  /** The memory that replaces this one. The score of this one is halved */
  superseded_by?: string;
  explain?: HitExplanation;
  /** Present if the request asked for it */
  context?: HitContext;
}

/** A memory that was stored shortly before or after a hit. */
export interface SurroundingMemory {
  id: string;
  text: string;
  created_at: string;
}

/** Both in the order in which they were stored. Memories that cannot be read are left out. */
export interface HitContext {
  before: SurroundingMemory[];
  after: SurroundingMemory[];
}

export interface RecallResponse {
  results: MemoryHit[];
  total: number;
  /** Matches that could not be read; absent when none */
  dropped_count?: number;
  /**
   * Memories of the namespace whose vectors come from an earlier model; absent when none. Until they are re-embedded
   * (`POST /api/reindex`), only their words find them
   */
  stale_count?: number;
  /** True when only the beginning of a long query was searched for */
  query_truncated?: true;
  /** Present if the request asked for `rerank` */
  usage?: LlmUsage;
  /** True when the vectors come from the built-in lexical embedder */
  mock?: true;
}

export interface ManualHit {
  /** Absent only while `pending` */
  blob_id?: string;
  distance: number;
  /** True when `blob_id` names a patch of a quilt */
  quilt_patch?: true;
  id: string;
  created_at: string;
  /** Digest of the stored bytes, hex */
  sha256: string;
  score?: number;
  pending?: true;
  /** The bytes of a pending memory, or of any with `include_envelopes` as long as they fit; base64 */
  encrypted_data?: string;
  superseded_by?: string;
  /** Present if the request asked for it */
  explain?: HitExplanation;
}

export interface RecallManualResponse {
  results: ManualHit[];
  total: number;
  /** Pending memories that did not fit into the response; absent when none */
  dropped_count?: number;
  /** True while memories of a private namespace cannot be found under the search secret of the question */
  partial?: true;
  /** The number of these memories: of another search secret or tokenizer, or without index data; absent when none */
  not_searchable?: number;
  /** Trusted writers of this account, hex: the relayer's own keys, and delegates that can or could write */
  trusted_writers: string[];
}

export interface RememberManualResponse extends OpaqueNote {
  id: string;
  blob_id: string;
  owner: string;
  namespace: string;
}
