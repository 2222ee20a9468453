import { join } from 'node:path';
import { asLogger, type StoreLogger } from '../base/store-logger.ts';
import {
  type DirectoryIdentity,
  readIdentity,
  requireSameIdentity,
  writeIdentity,
} from '../storage/data-directory.ts';
import type { DiskStorage } from '../storage/disk-storage.ts';
import type { Bucket } from '../storage/s3/bucket.ts';
import type { Storage } from '../storage/storage.ts';
import type { BlobRegistry } from './blob-registry.ts';
import {
  type BucketIdentity,
  claimBucket,
  readBucketIdentity,
  requireSameBucketIdentity,
} from './bucket/bucket-identity.ts';
import { openBucketRegistry } from './bucket/bucket-registry.ts';
import type { ChainRegistry, ChainRegistryOptions } from './chain/chain-registry.ts';
import { openLocalRegistry } from './local-registry.ts';

export interface RegistryOptions {
  dataDir: string;
  /**
   * Fixed for the life of a data directory or bucket, and taken from it when absent. With a chain it must be that
   * network's number; without one it is 1000 for a new directory, as on the public networks.
   */
  nShards?: number;
  /** The chain on which blobs are registered; without it the store keeps a local registry */
  chain?: ChainRegistryOptions;
  /** Length of an epoch without a chain, one day by default; null if epochs are only advanced manually */
  epochDurationMs?: number | null;
  /** Nothing is logged without one */
  logger?: StoreLogger;
  /** Milliseconds since 1970 */
  now?: () => number;
  /** How long unneeded content and records in a bucket are kept, in milliseconds */
  graceMs?: number;
}

/** The bucket for the blobs, with the name under which the data directory records it. */
export interface NamedBucket {
  bucket: Bucket;
  name: string;
}

/** Opens the storage. Called only after it was verified that the storage belongs to the registry. */
export interface StorageOpener {
  onDisk(): Promise<DiskStorage>;
  inBucket(shared: NamedBucket): Promise<Storage>;
}

export interface OpenedRegistry {
  registry: BlobRegistry;
  storage: Storage;
  nShards: number;
  /** Only with a chain */
  chain?: Pick<ChainRegistry, 'storageNode' | 'announce'>;
}

export const defaultShards = 1000;
const dayMs = 86_400_000;

/**
 * How long unneeded content and records in a bucket are kept; `s3-storage.ts` explains why they are not removed
 * immediately.
 */
export const defaultGraceMs = 7_200_000;

/**
 * Opens the registry of a data directory and a bucket, and writes the identity of new ones. Passes everything it
 * opens to `cleanUp`. Throws a plain error that names the setting when directory, bucket, chain and options do not
 * match.
 */
export async function openRegistry(
  options: RegistryOptions,
  shared: NamedBucket | undefined,
  opener: StorageOpener,
  cleanUp: AsyncDisposableStack,
): Promise<OpenedRegistry> {
  if (options.chain !== undefined) return openOnChain(options, options.chain, shared, opener, cleanUp);
  return shared === undefined
    ? openInDirectory(options, opener, cleanUp)
    : openInBucket(options, shared, opener, cleanUp);
}

/** Writes the identity of a new directory. Throws if an existing directory has a different identity. */
async function settleDirectory(directory: string, identity: DirectoryIdentity): Promise<void> {
  const known = await readIdentity(directory);
  if (known === undefined) await writeIdentity(directory, identity);
  else requireSameIdentity(directory, known, identity);
}

async function settleBucket(
  bucket: Bucket,
  known: BucketIdentity | undefined,
  wanted: BucketIdentity,
): Promise<void> {
  if (known === undefined) await claimBucket(bucket, wanted);
  else requireSameBucketIdentity(known, wanted);
}

async function openOnChain(
  { dataDir, nShards: wanted }: RegistryOptions,
  chain: ChainRegistryOptions,
  shared: NamedBucket | undefined,
  opener: StorageOpener,
  cleanUp: AsyncDisposableStack,
): Promise<OpenedRegistry> {
  // Loaded only here because loading the chain client takes a second.
  const { openChainRegistry } = await import('./chain/chain-registry.ts');
  const registry = await openChainRegistry(chain);
  cleanUp.defer(() => registry.close());
  const { nShards, chainId } = registry;
  if ((wanted ?? nShards) !== nShards) {
    throw new Error(`the chain has ${nShards} shards: do not set BLOBSTORE_SHARDS (--shards)`);
  }
  const identity = { shards: nShards, chainId };
  if (shared !== undefined) {
    const { bucket } = shared;
    await settleBucket(bucket, await readBucketIdentity(bucket), identity);
  }
  await settleDirectory(dataDir, { ...identity, ...bucketOf(shared) });
  const storage = await (shared === undefined ? opener.onDisk() : opener.inBucket(shared));
  return { registry, storage, nShards, chain: registry };
}

function bucketOf(shared: NamedBucket | undefined): Pick<DirectoryIdentity, 'bucket'> {
  return shared === undefined ? {} : { bucket: shared.name };
}

async function openInBucket(
  options: RegistryOptions,
  shared: NamedBucket,
  opener: StorageOpener,
  cleanUp: AsyncDisposableStack,
): Promise<OpenedRegistry> {
  const { bucket, name } = shared;
  const known = await readBucketIdentity(bucket);
  const nShards = options.nShards ?? known?.shards ?? defaultShards;
  const knownDurationMs = known?.epochDurationMs === undefined ? dayMs : known.epochDurationMs;
  const epochDurationMs = options.epochDurationMs === undefined ? knownDurationMs : options.epochDurationMs;
  // Before the identity of the bucket is written, because this throws if the directory already holds blobs.
  await settleDirectory(options.dataDir, { shards: nShards, bucket: name });
  await settleBucket(bucket, known, { shards: nShards, epochDurationMs });
  const { now = Date.now, graceMs = defaultGraceMs } = options;
  const registry = openBucketRegistry({ bucket, nShards, epochDurationMs, now, graceMs });
  cleanUp.defer(() => registry.close());
  return { registry, storage: await opener.inBucket(shared), nShards };
}

async function openInDirectory(
  options: RegistryOptions,
  opener: StorageOpener,
  cleanUp: AsyncDisposableStack,
): Promise<OpenedRegistry> {
  const { dataDir } = options;
  const known = await readIdentity(dataDir);
  const nShards = options.nShards ?? known?.shards ?? defaultShards;
  if (known !== undefined) requireSameIdentity(dataDir, known, { shards: nShards });
  const storage = await opener.onDisk();
  const registry = await openLocalRegistry({
    content: storage.content,
    ...(options.logger === undefined ? {} : { logger: asLogger(options.logger) }),
    path: join(dataDir, 'registry.jsonl'),
    isNew: known === undefined,
    nShards,
    epochDurationMs: options.epochDurationMs === undefined ? dayMs : options.epochDurationMs,
    now: options.now ?? Date.now,
  });
  cleanUp.defer(() => registry.close());
  // Last, so that a directory with an identity always has a journal.
  if (known === undefined) await writeIdentity(dataDir, { shards: nShards });
  return { registry, storage, nShards };
}
