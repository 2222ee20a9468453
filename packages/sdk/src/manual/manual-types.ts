import type { Primitives } from '@memrelay/envelope/primitives';
import type { MemRelayError } from '../wire/errors.ts';
import type {
  MemRelayOptions,
  NamespaceOptions,
  ScoringWeights,
  WaitOptions,
  WriteOptions,
} from '../wire/types.ts';
import type { EmbeddingOptions } from './embedding-endpoint.ts';
import type { SessionSigner } from './key-session.ts';
import type { ManualNetworkOptions } from './manual-network.ts';
import type { OpenFailure } from './open-memories.ts';
import type { BlobFailure } from './read-blob.ts';

export interface ManualOptions extends MemRelayOptions {
  /** The account package from the credential file; a relayer with a different one is rejected */
  packageId: string;
  /** The embedding provider; required by `rememberManual` and `recallManual` */
  embedding?: EmbeddingOptions | undefined;
  /** Network settings that do not come from the relayer; required if the network is neither public nor on this machine */
  network?: ManualNetworkOptions | undefined;
  /** The owner's wallet; if set, it signs the session for key servers instead of the delegate key */
  wallet?: SessionSigner | undefined;
  /** Signers to trust in addition to the account's writing delegates: Ed25519 keys, 64 hex digits */
  trustedWriters?: readonly string[] | undefined;
  /** Whether to trust the relayer's list of signers: itself and former delegates; default true */
  trustRelayer?: boolean | undefined;
  /** Compute the blob id of every blob that is read, even if the index has a digest; default false */
  checkBlobIds?: boolean | undefined;
  /** `nodePrimitives` of the envelope package are faster in Node */
  primitives?: Primitives | undefined;
}

export interface ManualRememberOptions extends WriteOptions, WaitOptions {
  namespace?: string | undefined;
  /** Any number, on a scale chosen by the writer; the default is 0.5 */
  importance?: number | undefined;
  /** When it happened, RFC 3339 with offset; default now */
  occurredAt?: string | undefined;
  /** If false, return when the relayer has accepted the memory, before it is stored; default true */
  waitForDone?: boolean | undefined;
}

/** An accepted memory. */
export interface ManualAccepted {
  status: 'running' | 'done';
  /** Id of the memory and of its job */
  id: string;
  /** Present once the job is done */
  blobId?: string;
}

/** The outcome of one of several texts; a failure does not affect the others. */
export type ManualOutcome = ManualAccepted | { status: 'failed'; error: MemRelayError };

export interface ManualRecallOptions extends NamespaceOptions {
  /** 1–100, default 10 */
  limit?: number | undefined;
  scoringWeights?: ScoringWeights | undefined;
  minScore?: number | undefined;
  /** Omit matches beyond this distance; distances are 0 to 2 */
  maxDistance?: number | undefined;
  /** Include memories that are accepted but not yet stored; default true */
  includePending?: boolean | undefined;
}

export interface ManualRecallHit {
  id: string;
  /** Absent only while `pending` */
  blobId?: string;
  text: string;
  distance: number;
  score?: number;
  /** According to its writer, RFC 3339 */
  createdAt: string;
  occurredAt?: string;
  importance?: number;
  pending?: true;
  /** The memory that replaces this one */
  supersededBy?: string;
  /** The fields that were sealed with the text; times are RFC 3339 */
  session?: string;
  speaker?: string;
  happenedAt?: string;
  tags?: string[];
  metadata?: Record<string, string | number | boolean | null>;
  expiresAt?: string;
  /** The signer: an Ed25519 key, 64 hex digits */
  signer: string;
}

/** A match that could not be read. */
export interface DroppedHit {
  id: string;
  blobId?: string;
  distance: number;
  reason: BlobFailure | OpenFailure['reason'];
  /** Human-readable; contains no memory text */
  message: string;
}

export interface ManualRecallResult {
  /** In the order of the relayer's ranking */
  results: ManualRecallHit[];
  total: number;
  dropped: DroppedHit[];
  /** The number of `dropped` matches, plus pending ones that did not fit into the response */
  droppedCount: number;
}

export interface ManualListOptions extends NamespaceOptions {
  /** List everything that this key may read, even if the client has a default namespace */
  allNamespaces?: boolean | undefined;
  /** Memories per request: 1–100, default 50 */
  limit?: number | undefined;
}
