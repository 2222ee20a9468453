import type { BlobStoreContext } from './blob-store-context.ts';

type Parts = Pick<BlobStoreContext, 'storage' | 'registry' | 'locks'>;

/**
 * Removes the bytes that no live object keeps: expired or deleted blobs, and content whose store was cut off
 * before its object existed. Returns how many were removed. Rejects, with nothing more removed, when the
 * registry cannot tell.
 */
export async function sweepUnreferenced({ storage, registry, locks }: Parts): Promise<number> {
  let removed = 0;
  for (const blobId of await storage.list()) {
    await locks.run(blobId, async () => {
      if ((await registry.liveObjects(blobId)).length > 0) return;
      await storage.remove(blobId);
      removed += 1;
    });
  }
  return removed;
}
