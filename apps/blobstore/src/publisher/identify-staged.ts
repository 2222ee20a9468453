import type { BlobIdEncoder, BlobIdentity } from '../base/blob-id-encoder.ts';
import type { StagedBlob, Storage } from '../storage/storage.ts';

/** Computes the identity of received content, and encodes only content that the store has not seen. */
export type IdentifyStaged = (staged: StagedBlob) => Promise<BlobIdentity>;

/**
 * Content that is already stored costs a look-up by its digest; identical content that arrives while it is being
 * encoded waits for that one encoding.
 */
export function createIdentifyStaged(storage: Storage, encoder: BlobIdEncoder): IdentifyStaged {
  const underway = new Map<string, Promise<BlobIdentity>>();
  return async ({ path, digest }) => {
    const stored = await storage.findByDigest(digest);
    if (stored !== undefined) return { blobId: stored.blobId, rootHash: stored.rootHash };
    let encoding = underway.get(digest);
    if (encoding === undefined) {
      encoding = encoder.identify(path).finally(() => underway.delete(digest));
      underway.set(digest, encoding);
    }
    return encoding;
  };
}
