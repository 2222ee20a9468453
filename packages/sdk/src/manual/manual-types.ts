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
  /** The account package, from the credential file: a relayer that names another one is refused */
  packageId: string;
  /** The provider of embeddings; `rememberManual` and `recallManual` need one */
  embedding?: EmbeddingOptions | undefined;
  /** What of the network is known without the relayer; needed where it is neither public nor on this machine */
  network?: ManualNetworkOptions | undefined;
  /** The owner's wallet, which then opens the session for key servers instead of the delegate key */
  wallet?: SessionSigner | undefined;
  /** Whose memories are believed besides those of the account's writing delegates: Ed25519 keys, 64 hex digits */
  trustedWriters?: readonly string[] | undefined;
  /** Whether to believe whom the relayer believes: itself and delegates of the past; default true */
  trustRelayer?: boolean | undefined;
  /** Compute the blob id of every blob that is read, also where the index tells a digest; default false */
  checkBlobIds?: boolean | undefined;
  /** `nodePrimitives` of the envelope package are faster in Node */
  primitives?: Primitives | undefined;
}

export interface ManualRememberOptions extends WriteOptions, WaitOptions {
  namespace?: string | undefined;
  /** Any number; its scale is the writer's, 0.5 is what a memory has that nobody weighed */
  importance?: number | undefined;
  /** When it happened, RFC 3339 with offset, if that is not now */
  occurredAt?: string | undefined;
  /** False: return when the relayer has accepted it, before it is stored; default true */
  waitForDone?: boolean | undefined;
}

/** A memory that was accepted. */
export interface ManualAccepted {
  status: 'running' | 'done';
  /** Of the memory, and of its job */
  id: string;
  /** Once done */
  blobId?: string;
}

/** Of many texts: one that could not be stored tells why and hides no other. */
export type ManualOutcome = ManualAccepted | { status: 'failed'; error: MemRelayError };

export interface ManualRecallOptions extends NamespaceOptions {
  /** 1–100, default 10 */
  limit?: number | undefined;
  scoringWeights?: ScoringWeights | undefined;
  minScore?: number | undefined;
  /** What is farther is left out; distances go from 0 to 2 */
  maxDistance?: number | undefined;
  /** Also memories that are accepted but not yet stored; default true */
  includePending?: boolean | undefined;
}

export interface ManualRecallHit {
  id: string;
  /** Absent only while `pending` */
  blobId?: string;
  text: string;
  distance: number;
  score?: number;
  /** As its writer says, RFC 3339 */
  createdAt: string;
  occurredAt?: string;
  importance?: number;
  pending?: true;
  /** The memory that replaces this one */
  supersededBy?: string;
  /** Who signed it: an Ed25519 key, 64 hex digits */
  signer: string;
}

/** A match that could not be read. */
export interface DroppedHit {
  id: string;
  blobId?: string;
  distance: number;
  reason: BlobFailure | OpenFailure['reason'];
  /** For a person; without a text of anybody */
  message: string;
}

export interface ManualRecallResult {
  /** In the order of the relayer's ranking */
  results: ManualRecallHit[];
  total: number;
  dropped: DroppedHit[];
  /** `dropped`, and pending ones that the answer had no room for */
  droppedCount: number;
}

export interface ManualListOptions extends NamespaceOptions {
  /** Also where the client has a namespace of its own: list all that this key may read */
  allNamespaces?: boolean | undefined;
  /** Memories in one request: 1–100, default 50 */
  limit?: number | undefined;
}
