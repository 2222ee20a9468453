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
 * The blob behind an id, as long as a live certified object keeps it readable and the operator lets it be read.
 * Throws 404 when it is certain that no object does, and 503 when that cannot be known now, while the blob is
 * registered and not certified, or when the bytes of a live blob are missing here.
 */
export async function findReadable(parts: FindParts, blobId: string): Promise<StoredBlob> {
  const { storage, registry, blocklist, faults, limits } = parts;
  if (blocklist.has(blobId)) throw forbiddenBlob();
  await faults.meetRead(blobId);
  const live = await orUnavailable(registry.liveObjects(blobId));
  if (live.length === 0) await expectCertificate(registry, blobId);
  const blob = await storage.find(blobId);
  if (blob === undefined) throw blobUnavailable(new Error(`no bytes for the live blob ${blobId}`));
  // The real aggregator compares what it fetches for a range; the option limits which blobs can be requested.
  if (blob.size > limits.maxBlobBytes) throw blobTooLarge(limits.maxBlobBytes);
  return blob;
}

/** Tells a blob that is being stored, or whose store was cut off, from one that does not exist. */
async function expectCertificate(registry: BlobRegistry, blobId: string): Promise<void> {
  const uncertified = await orUnavailable(registry.uncertified(blobId));
  if (uncertified.length > 0) throw blobUnavailable(new Error(`${blobId} is not certified`));
  // Its store may have ended between the two questions, and that must not make this a 404.
  if ((await orUnavailable(registry.liveObjects(blobId))).length === 0) throw blobNotFound();
}

/** Awaits an answer of the registry; throws 503 when it cannot be had now. */
export async function orUnavailable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof RegistryUnavailableError ? blobUnavailable(error) : error;
  }
}
