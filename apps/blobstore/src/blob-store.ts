import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { maxBlobSize } from '@memrelay/blob-id/source/matrix';
import { lockDirectory } from '@memrelay/process/dir-lock';
import { createHostRules } from '@memrelay/protocol/host-rules';
import { isLoopbackListener } from '@memrelay/protocol/loopback-listener-node';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { type BlobStoreAdmin, createAdmin } from './admin/blob-store-admin.ts';
import { emptyBlocklist, openBlocklist } from './aggregator/blocklist.ts';
import { KnownBlocks } from './aggregator/known-blocks.ts';
import { createPublisherAuth } from './auth/publisher-auth.ts';
import { createWasmEncoder } from './base/blob-id-encoder.ts';
import { createKeyedLock } from './base/keyed-lock.ts';
import { asLogger } from './base/store-logger.ts';
import { type BlobStoreOptions, defaultLimits, defaultQuarantineMs } from './config/blob-store-options.ts';
import { createFaults } from './faults/faults.ts';
import { defaultAllowedHeaders } from './http/allowed-headers.ts';
import { createIdentifyStaged } from './publisher/identify-staged.ts';
import { createQuiltReader } from './quilt/quilt-reader.ts';
import type { StorageNode } from './registry/chain/storage-node.ts';
import {
  defaultGraceMs,
  type NamedBucket,
  openRegistry,
  type StorageOpener,
} from './registry/open-registry.ts';
import { createSweeper, startSweeping } from './registry/sweep.ts';
import type { BlobStoreContext } from './routes/context.ts';
import { buildServer } from './server.ts';
import { openDiskStorage } from './storage/disk-storage.ts';
import { nameOf, type S3Options } from './storage/s3/s3-options.ts';
import { openS3Storage } from './storage/s3/s3-storage.ts';
import type { Storage } from './storage/storage.ts';
import { createSliverSource } from './storage-node/sliver-source.ts';
import { openSliverUploads } from './storage-node/sliver-uploads.ts';
import { createStorageNodes, type NodeContext, type StorageNodes } from './storage-node/storage-nodes.ts';

export interface BlobStore {
  /** URL of publisher and aggregator, without a trailing slash */
  url: string;
  admin: BlobStoreAdmin;
  /** Waits for requests in progress (up to 10 s), then releases all resources. */
  close(): Promise<void>;
}

/** Listing a bucket costs money, more than an earlier sweep would save in storage. */
const sweepIntervalMs = { disk: 600_000, s3: 3_600_000 };
/** How long `close` waits for responses in progress before it cuts them off. */
const drainMs = 10_000;
const idleCheckMs = 50;

/**
 * Starts a publisher and aggregator. Throws `DirectoryLockedError` if another process uses the data directory, the
 * system's `EADDRINUSE` error if the port is taken, and a plain error if the directory was created for another
 * number of shards, its journal is damaged anywhere but at its end, the blocklist is invalid, or the chain or its
 * keys do not match.
 */
export async function createBlobStore(options: BlobStoreOptions): Promise<BlobStore> {
  const { dataDir } = options;
  const logger = asLogger(options.logger ?? pino({ enabled: false }));
  const cleanUp = new AsyncDisposableStack();
  try {
    const lock = lockDirectory(dataDir);
    cleanUp.defer(() => lock.release());
    const shared = options.s3 === undefined ? undefined : await openSharedBucket(options.s3, cleanUp);
    const opener = storageOpener(options, logger, cleanUp);
    const { registry, storage, nShards, chain } = await openRegistry(options, shared, opener, cleanUp);
    const encoder = createWasmEncoder(nShards, options.encoderThreads ?? availableParallelism());
    cleanUp.defer(() => encoder.close());
    const { blocklistFile, allowedHeaders = defaultAllowedHeaders } = options;
    const blocklist =
      blocklistFile === undefined ? emptyBlocklist : await openBlocklist(blocklistFile, logger);
    cleanUp.defer(() => blocklist.close());
    const faults = createFaults(options.now);
    const limits = { ...defaultLimits, ...options.limits };
    const context: BlobStoreContext = {
      storage,
      registry,
      encoder,
      identifyStaged: createIdentifyStaged(storage, encoder),
      knownBlocks: new KnownBlocks(),
      locks: createKeyedLock(),
      uploadRelay: chain && { node: chain.storageNode, tip: options.tip, now: options.now ?? Date.now },
      nShards,
      burnAfterStore: options.burnAfterStore ?? false,
      deletesDataAtOnce: options.deletesDataAtOnce ?? false,
      faults,
      blocklist,
      allowedHeaders,
      allowedTagHeaders: options.allowsAllTagHeaders === true ? 'ALL' : allowedHeaders,
      quilts: createQuiltReader(storage, nShards),
      auth: createPublisherAuth(options.auth, logger),
      limits: { ...limits, maxBodyBytes: Math.min(limits.maxBodyBytes, maxBlobSize(nShards)) },
      logger,
    };
    const { quarantineMs = defaultQuarantineMs, now = Date.now } = options;
    const sweeper = createSweeper({ ...context, quarantineMs, now });
    cleanUp.defer(startSweeping(sweeper, sweepIntervalMs[shared === undefined ? 'disk' : 's3'], context));
    const admin = createAdmin(context, sweeper);
    const storageNodes = chain && (await openStorageNodes(context, chain.storageNode, dataDir, cleanUp));
    const { adminToken, allowedOrigins, host = '127.0.0.1' } = options;
    const isLoopback = await isLoopbackListener(host);
    const hosts = isLoopback ? createHostRules({ isLoopback, listenHost: host }) : undefined;
    const app = buildServer(context, admin, { adminToken, hosts, allowedOrigins, storageNodes });
    const url = await serve(app, { host, port: options.port }, cleanUp);
    await chain?.announce(options.nodeUrl ?? reachableUrl(url)).catch((error: unknown) => {
      logger.warn({ err: error }, 'the chain does not list this store as its storage nodes');
    });
    // Runs first on close, so that an injected delay does not hold it up.
    cleanUp.defer(() => faults.clear());
    return { url, admin, close: () => cleanUp.disposeAsync() };
  } catch (error) {
    await cleanUp.disposeAsync();
    throw error;
  }
}

/** Clients cannot connect to a wildcard address, so it is replaced by the loopback address. */
function reachableUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

/** The SDK is loaded only here, because loading takes 25 MB and 0.1 s. */
async function openSharedBucket(s3: S3Options, cleanUp: AsyncDisposableStack): Promise<NamedBucket> {
  const { createS3Client } = await import('./storage/s3/s3-client.ts');
  const { openBucket } = await import('./storage/s3/bucket.ts');
  const client = createS3Client(s3);
  cleanUp.defer(() => client.destroy());
  return { bucket: openBucket(client, s3), name: nameOf(s3) };
}

function storageOpener(
  { dataDir, graceMs = defaultGraceMs, limits }: BlobStoreOptions,
  logger: Logger,
  cleanUp: AsyncDisposableStack,
): StorageOpener {
  function closing<T extends Storage>(storage: T): T {
    cleanUp.defer(() => storage.close());
    return storage;
  }
  return {
    onDisk: async () => closing(await openDiskStorage(dataDir, logger, limits?.maxStoreBytes)),
    inBucket: async ({ bucket }) =>
      closing(await openS3Storage({ bucket, directory: dataDir, logger, graceMs })),
  };
}

async function serve(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
  cleanUp: AsyncDisposableStack,
): Promise<string> {
  cleanUp.defer(async () => {
    const cutOff = setTimeout(() => app.server.closeAllConnections(), drainMs);
    // Otherwise connections that become idle after the close began would be kept alive.
    const idle = setInterval(() => app.server.closeIdleConnections(), idleCheckMs);
    await app.close();
    clearTimeout(cutOff);
    clearInterval(idle);
  });
  await app.listen({ host, port });
  const address = app.server.address() as AddressInfo;
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}

/** Opens the storage nodes of a store. Registers their resources with `cleanUp`. */
async function openStorageNodes(
  context: NodeContext,
  node: StorageNode,
  dataDir: string,
  cleanUp: AsyncDisposableStack,
): Promise<StorageNodes> {
  const { nShards } = node.committee;
  const slivers = createSliverSource(context.storage, nShards);
  cleanUp.defer(() => slivers.close());
  const uploads = await openSliverUploads(join(dataDir, 'slivers'), nShards);
  cleanUp.defer(() => uploads.close());
  return createStorageNodes(context, { node, slivers, uploads });
}
