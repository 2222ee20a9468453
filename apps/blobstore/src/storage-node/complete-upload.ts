import { sourceMatrix } from '@memrelay/blob-id/source/matrix';
import type { Logger } from 'pino';
import type { KeyedLock } from '../base/keyed-lock.ts';
import type { IdentifyStaged } from '../publisher/identify-staged.ts';
import type { StorageNode } from '../registry/chain/storage-node.ts';
import type { Storage } from '../storage/storage.ts';
import type { SliverSource } from './sliver-source.ts';
import type { SliverUpload, SliverUploads } from './sliver-uploads.ts';
import { encodeSliver } from './sliver-wire.ts';

export interface StorageNodeParts {
  node: StorageNode;
  slivers: SliverSource;
  uploads: SliverUploads;
}

export interface UploadContext {
  storage: Storage;
  identifyStaged: IdentifyStaged;
  locks: KeyedLock;
  logger: Logger;
}

/**
 * How long to wait for the slivers that contain the unmodified content, in milliseconds. They are usually being
 * sent to other nodes of this process, and waiting is cheaper than decoding, which takes 2 s at 1000 shards.
 */
const patienceMs = 3000;

/**
 * Durably stores the content of an upload that has enough slivers. Returns false if they do not encode any content,
 * although each matches the metadata.
 */
export async function completeUpload(
  context: UploadContext,
  { slivers, uploads, node }: StorageNodeParts,
  upload: SliverUpload,
): Promise<boolean> {
  const { storage, identifyStaged, locks, logger } = context;
  const { blobId, size } = upload;
  const { nShards } = node.committee;

  async function decoded(): Promise<Uint8Array> {
    const some = await upload.primarySlivers(sourceMatrix(nShards).rows);
    return slivers.decode({
      blobId: Buffer.from(blobId, 'base64url'),
      size,
      slivers: some.map(({ pair, data }) => encodeSliver('primary', size, pair, data, nShards)),
    });
  }

  await upload.once(async () => {
    await upload.settled(patienceMs);
    const body = upload.isWhole() ? upload.content() : toIterable(await decoded());
    const staged = await storage.stage(body, size);
    try {
      const identity = await identifyStaged(staged);
      if (identity.blobId === blobId) await locks.run(blobId, () => storage.commit(staged, identity));
      else logger.warn({ blobId }, 'uploaded slivers do not encode a blob with this id');
    } finally {
      await storage.discard(staged);
    }
    await uploads.end(blobId);
  });
  return (await storage.find(blobId)) !== undefined;
}

async function* toIterable(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
