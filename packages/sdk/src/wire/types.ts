import type {
  BulkStatusResult,
  JobRecord,
  ManualHit,
  MemoryHit,
  RecallManualResponse,
  RecallResponse,
  RememberAccepted,
  RememberManualResponse,
} from '@memrelay/protocol/memories';
import type * as lists from '@memrelay/protocol/memory-lists';
import type { AccountInfo } from '@memrelay/protocol/service-info';
import type { CamelKeys } from './camel-keys.ts';

export interface MemRelayOptions {
  /** The delegate private key: 64 hex characters or 32 bytes. A long-lived secret. */
  key: string | Uint8Array;
  /** Object id of the account, `0x` and 64 hex characters */
  accountId: string;
  /** Base URL of the relayer; a path prefix is allowed where a proxy strips it */
  serverUrl: string;
  /** Default namespace of calls; if omitted, the relayer uses `default` */
  namespace?: string | undefined;
  /** The account package; if omitted, the first recall reads it from `/config` and pins it */
  packageId?: string | undefined;
  /** Pass the same object to several clients of one key to share a session; by default each client has a separate one */
  sessionCache?: SessionCache | undefined;
  /** Replaces the global `fetch` */
  fetch?: typeof fetch | undefined;
  /** Timeout of one attempt, from connecting to the last byte of the response; default 30,000 ms */
  timeoutMs?: number | undefined;
  /** Timeout of one call with all its retries; default 60,000 ms */
  deadlineMs?: number | undefined;
  /** Attempts of one call; default 4, 1 turns retries off */
  maxAttempts?: number | undefined;
}

/** Options of `MemRelay.connect`. */
export interface ConnectOptions extends Partial<MemRelayOptions> {
  /** Path of a credential file, instead of searching for one */
  credentials?: string | undefined;
}

/**
 * Where a client keeps its decryption session. Clients with the same key and relayer may share one, also at the same time:
 * keys that were unwrapped for a session are not fetched again while it lasts. A session can read without the key, so keep
 * it equally secret.
 */
export interface SessionCache {
  current?: { packageId: string; renewAt: number; header: Promise<string> } | undefined;
}

export interface CallOptions {
  /** Ends the call, its waits and its retries; the promise rejects with `signal.reason` */
  signal?: AbortSignal | undefined;
}

export interface NamespaceOptions extends CallOptions {
  namespace?: string | undefined;
}

export interface WriteOptions extends CallOptions {
  /**
   * 1–128 visible ASCII characters. The same key with the same body stores once within 24 h, so a caller that
   * repeats a call after a crash passes its own. Default: fresh for each call.
   */
  idempotencyKey?: string | undefined;
}

/** Fields that are sealed with the text. */
export interface ContextOptions {
  /** The conversation it belongs to, 1–128 characters */
  session?: string | undefined;
  /** Who said it, 1–128 characters */
  speaker?: string | undefined;
  /** When it was said or happened; RFC 3339, or a `Date` */
  happenedAt?: string | Date | undefined;
  /** Up to 32 of 1–64 characters */
  tags?: readonly string[] | undefined;
  /** A flat object, up to 4 KiB of JSON; the relayer does not search it */
  metadata?: Readonly<Record<string, string | number | boolean | null>> | undefined;
  /** From then on nothing returns the memory, and the relayer forgets it; RFC 3339, or a `Date` */
  expiresAt?: string | Date | undefined;
}

/** Which memories to return, by their tags. */
export interface TagFilterOptions {
  /** At least one of these */
  any?: readonly string[] | undefined;
  all?: readonly string[] | undefined;
  /** None of these */
  not?: readonly string[] | undefined;
}

export interface RememberOptions extends WriteOptions, ContextOptions {
  namespace?: string | undefined;
}

export interface RememberItem extends ContextOptions {
  text: string;
  namespace?: string | undefined;
}

export interface RecallOptions extends NamespaceOptions {
  /** 1–100, default 10 */
  limit?: number | undefined;
  /** Include memories that are accepted but not yet stored; default true, so that a recall sees earlier writes */
  includePending?: boolean | undefined;
  scoringWeights?: ScoringWeights | undefined;
  /** Omit hits with a lower score */
  minScore?: number | undefined;
  /** Let the relayer's chat model sort the best 30 hits; `usage` reports what that cost */
  rerank?: boolean | undefined;
  /** Also return, with each hit, up to this many memories stored right before it, and after it; 0–3, default 0 */
  context?: number | undefined;
  /** Include in each hit its score and the contributions of vector and keyword search */
  explain?: boolean | undefined;
  /** Only memories whose tags pass */
  tags?: TagFilterOptions | undefined;
}

/** Each 0–100. */
export interface ScoringWeights {
  semantic?: number | undefined;
  recency?: number | undefined;
  recencyHalfLifeDays?: number | undefined;
  importance?: number | undefined;
  /** Weight of the memories stored right before and after; default 1 where such memories belong together, else 0 */
  context?: number | undefined;
  /** Weight of the best memories of the same session; default 1 */
  session?: number | undefined;
  /** Weight of a speaker whom the question names; default 1 */
  speaker?: number | undefined;
  /** Weight of a day or month that the question names; default 1 */
  date?: number | undefined;
}

export interface RememberManualInput extends WriteOptions {
  /** Encrypted by the caller; 1 to 1,114,112 bytes */
  encryptedData: Uint8Array;
  vector: ArrayLike<number>;
  namespace?: string | undefined;
  /** Also store bytes that no reader of the account can decrypt; restore and text recall cannot use them */
  opaque?: boolean | undefined;
}

export interface RecallManualInput extends NamespaceOptions {
  vector: ArrayLike<number>;
  /** 1–100, default 10 */
  limit?: number | undefined;
}

export interface MemoriesOptions extends NamespaceOptions {
  /** List everything that this key may read, even if the client has a default namespace */
  allNamespaces?: boolean | undefined;
  /** Only memories whose tags pass; needs a namespace */
  tags?: TagFilterOptions | undefined;
  /** Also return the texts and context fields */
  texts?: boolean | undefined;
  /** Memories per request: 1–100, default 50 */
  limit?: number | undefined;
}

export interface MemoriesPageOptions extends MemoriesOptions {
  /** `nextCursor` of the previous page */
  cursor?: string | undefined;
}

export interface WaitOptions extends CallOptions {
  /** Total time to wait; default 120,000 ms */
  timeoutMs?: number | undefined;
}

export interface JobWaitOptions extends WaitOptions {
  /** Called whenever stage, status or attempt count of the job changed */
  onProgress?: ((job: Job) => void) | undefined;
}

export interface JobsWaitOptions extends WaitOptions {
  /** Called after every poll that changed something, with all jobs in the requested order */
  onProgress?: ((jobs: readonly JobOutcome[]) => void) | undefined;
}

export type RememberResult = CamelKeys<RememberAccepted>;
export type Job = CamelKeys<JobRecord>;
export type JobOutcome = CamelKeys<BulkStatusResult>;
/** A job that succeeded */
export type StoredMemory = Job & { status: 'done'; blobId: string };
export type RecallHit = CamelKeys<MemoryHit>;
export type RecallResult = CamelKeys<RecallResponse>;
export type ManualMemory = CamelKeys<RememberManualResponse>;
/** Contains only stored memories: pending ones are not requested. */
export type RecallManualResult = Omit<CamelKeys<RecallManualResponse>, 'results'> & {
  results: (CamelKeys<ManualHit> & { blobId: string })[];
};
export type Account = CamelKeys<AccountInfo>;
export type MemoryEntry = CamelKeys<lists.MemoryEntry>;
export type MemoriesPage = CamelKeys<lists.MemoriesResponse>;
export type NamespaceEntry = CamelKeys<lists.NamespaceEntry>;
export type Stats = CamelKeys<lists.StatsResponse>;
