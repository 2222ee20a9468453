import type { Logger } from 'pino';
import type { Blocklist } from '../aggregator/blocklist.ts';
import type { KnownBlocks } from '../aggregator/known-blocks.ts';
import type { PublisherAuth } from '../auth/publisher-auth.ts';
import type { BlobIdEncoder } from '../base/blob-id-encoder.ts';
import type { KeyedLock } from '../base/keyed-lock.ts';
import type { Limits } from '../config/blob-store-options.ts';
import type { Faults } from '../faults/faults.ts';
import type { AllowedHeaders } from '../http/allowed-headers.ts';
import type { IdentifyStaged } from '../publisher/identify-staged.ts';
import type { QuiltReader } from '../quilt/quilt-reader.ts';
import type { BlobRegistry } from '../registry/blob-registry.ts';
import type { Storage } from '../storage/storage.ts';
import type { UploadRelay } from '../upload-relay/relay-upload.ts';

/** The dependencies of every route and use case; created once in `blob-store.ts`. */
export interface BlobStoreContext {
  storage: Storage;
  registry: BlobRegistry;
  encoder: BlobIdEncoder;
  identifyStaged: IdentifyStaged;
  /** Blocks of local files that were verified recently */
  knownBlocks: KnownBlocks;
  /** Locked by blob id from the commit of content until its object exists, so that no sweep runs in between */
  locks: KeyedLock;
  /** Checks who may store */
  auth: PublisherAuth;
  /** Blobs that are neither served nor stored */
  blocklist: Blocklist;
  /** Attributes that reads return as headers */
  allowedHeaders: ReadonlySet<string>;
  /** The same for the tags of quilt patches */
  allowedTagHeaders: AllowedHeaders;
  quilts: QuiltReader;
  /** For clients that register blobs themselves; absent without a chain */
  uploadRelay: UploadRelay | undefined;
  nShards: number;
  /** Whether objects without another receiver are destroyed once their blob is certified */
  burnAfterStore: boolean;
  /** Whether the data of a deleted blob is removed immediately instead of at the end of the epoch */
  deletesDataAtOnce: boolean;
  /** Injected failures of reads and stores */
  faults: Faults;
  limits: Limits;
  logger: Logger;
}
