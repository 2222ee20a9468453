import type { Tracing } from '@memrelay/process/tracing';
import type { Network } from '@memrelay/protocol/networks';
import type { PublicConfig } from '@memrelay/protocol/service-info';
import type { AccountDirectory } from '../accounts/account-directory.ts';
import type { AccountWriters } from '../accounts/account-writers.ts';
import type { ExpiredDelegates } from '../accounts/expired-delegates.ts';
import type { KeyUses } from '../accounts/key-uses.ts';
import type { RequestBounds } from '../api/limits/request-bounds.ts';
import type { RequestLimits } from '../api/limits/request-limits.ts';
import type { NonceStore } from '../api/nonces/nonce-store.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Secrets } from '../base/config/secrets.ts';
import type { Db } from '../base/db/db.ts';
import type { Loggers } from '../base/logging/loggers.ts';
import type { AggregatorReader } from '../blobs/aggregator-reads.ts';
import type { BlobCache } from '../blobs/blob-cache.ts';
import type { AccountVectors } from '../index/embedding/account-vectors.ts';
import type { Embedder } from '../index/embedding/embedder.ts';
import type { TextIndexer } from '../index/index-data.ts';
import type { BlindIndex } from '../index/keywords/blind-index.ts';
import type { Pipeline } from '../jobs/pipeline.ts';
import type { Backlog } from '../jobs/queue/backlog.ts';
import type { Idempotency } from '../jobs/queue/idempotency.ts';
import type { Outbox } from '../jobs/queue/outbox.ts';
import type { SingleWrites } from '../jobs/queue/single-writes.ts';
import type { StorageBudget } from '../jobs/queue/storage-budget.ts';
import type { KeyRewraps } from '../keys/key-rewraps.ts';
import type { NamespaceKeys } from '../keys/namespace-keys.ts';
import type { VerifiedKeys } from '../keys/verified-keys.ts';
import type { ChatClient } from '../language/llm/chat-client.ts';
import type { StorageTime } from '../memories/lists/expiring-soon.ts';
import type { NamespaceSearches } from '../memories/recall/namespace-search.ts';
import type { NamespaceSizes } from '../memories/recall/namespace-sizes.ts';
import type { QueryVectors } from '../memories/recall/query-vectors.ts';
import type { BackgroundRuns } from '../memories/reindex/background-runs.ts';
import type { SidecarClient } from '../sidecar/sidecar-client.ts';
import type { WebhookParts } from '../webhooks/manage-webhooks.ts';

/** The dependencies of the use cases, built once from the configuration. Tests build it with other parts. */
export interface RelayerContext {
  network: Network;
  db: Db;
  audit: AuditLog;
  tracing: Tracing;
  accounts: AccountDirectory;
  expiredDelegates: ExpiredDelegates;
  nonces: NonceStore;
  sidecar: SidecarClient;
  namespaceKeys: NamespaceKeys;
  verifiedKeys: VerifiedKeys;
  keyRewraps: KeyRewraps;
  embedder: Embedder;
  /** Undefined without an API key: analyze then uses sentences as facts, and ask quotes memories */
  chat: ChatClient | undefined;
  /** Throws `llm_not_configured` if texts cannot be embedded */
  requireEmbedder(): void;
  /** Converts a request's vector and checks its length. Throws `invalid_request`. */
  checkVector(vector: readonly number[]): Float32Array;
  vectors: AccountVectors;
  blindIndex: BlindIndex;
  indexer: TextIndexer;
  accountWriters: AccountWriters;
  namespaceSizes: NamespaceSizes;
  namespaceSearches: NamespaceSearches;
  queryVectors: QueryVectors;
  reindexing: BackgroundRuns;
  /** Limits on concurrent requests, in total and per account */
  requestBounds: RequestBounds;
  /** Limits on the weighted requests of a key and of an owner over time */
  requestLimits: RequestLimits;
  blobCache: BlobCache;
  aggregators: AggregatorReader;
  outbox: Outbox;
  idempotency: Idempotency;
  singleWrites: SingleWrites;
  backlog: Backlog;
  /** Limits the bytes that an owner may store */
  storageBudget: StorageBudget;
  pipeline: Pipeline;
  storageTime: StorageTime;
  keyUses: KeyUses;
  /** Undefined with MEM_WEBHOOKS=off */
  webhooks: WebhookParts | undefined;
  /** Addresses of the wallets that pay for uploads; empty if a publisher pays */
  uploadWallets: readonly string[];
  /** Longest delay in ms before a quilt that contains a forgotten memory is repacked */
  repackAfterMs: number;
  secrets: Secrets;
  /** Public halves of the writer keys, hex: memories signed by them are trusted */
  writerPublicKeys: readonly string[];
  /** Wraps for these can be opened here: the original package, and key-server sets by id */
  sealing: { packageId: string; serverSets: readonly string[] };
  /** Address of the server key, when there is one */
  serverAddress: string | undefined;
  /** 16-byte tag of a namespace of the account with this origin address */
  tagOf(origin: string, namespace: string): Uint8Array;
  /** The response of `GET /config` */
  publicConfig(): Promise<PublicConfig>;
  loggers: Loggers;
}
