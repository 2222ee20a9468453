import { blobNotFound, blobUnavailable } from '../base/api-error.ts';
import { blobTooLarge, forbiddenBlob } from '../base/read-errors.ts';
import type { Faults } from '../faults/faults.ts';
import { type BlobRegistry, RegistryUnavailableError } from '../registry/blob-registry.ts';
import type { Storage, StoredBlob } from '../storage/storage.ts';
import type { Blocklist } from './blocklist.ts';

export interface FindParts {
  storage: Storage;
  registry: BlobRegistry;
  blocklist: Blocklist;
  faults: Faults;
  limits: { maxBlobBytes: number };
}

/**
 * The blob with an id, provided that a live certified object keeps it readable and the operator allows reading it.
 * Throws 404 if certainly no object does. Throws 503 if that is unknown at the moment, while the blob is registered
 * and not certified, or if the bytes of a live blob are missing here.
 */
export async function findReadable(parts: FindParts, blobId: string): Promise<StoredBlob> {
  const { storage, registry, blocklist, faults, limits } = parts;
  if (blocklist.has(blobId)) throw forbiddenBlob();
  await faults.meetRead(blobId);
  const live = await orUnavailable(registry.liveObjects(blobId));
  if (live.length === 0) await expectCertificate(registry, blobId);
  const blob = await storage.find(blobId);
  if (blob === undefined) throw blobUnavailable(new Error(`no bytes for the live blob ${blobId}`));
  // The real aggregator compares the number of bytes that it fetches for a range. Here the size of the whole blob
  // counts.
  if (blob.size > limits.maxBlobBytes) throw blobTooLarge(limits.maxBlobBytes);
  return blob;
}

/** Distinguishes a blob that is being stored, or whose store was interrupted, from one that does not exist. */
async function expectCertificate(registry: BlobRegistry, blobId: string): Promise<void> {
  const uncertified = await orUnavailable(registry.uncertified(blobId));
  if (uncertified.length > 0) throw blobUnavailable(new Error(`${blobId} is not certified`));
  // Its store may have finished between the two queries, which must not lead to a 404.
  if ((await orUnavailable(registry.liveObjects(blobId))).length === 0) throw blobNotFound();
}

/** Awaits a result of the registry; throws 503 when it is unavailable. */
export async function orUnavailable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof RegistryUnavailableError ? blobUnavailable(error) : error;
  }
}
