import type { BlobStoreContext } from '../blob-store-context.ts';
import { blobNotFound, blobUnavailable } from '../http/api-error.ts';
import { type CertifiedObject, RegistryUnavailableError } from '../registry/blob-registry.ts';
import type { StoredBlob } from '../storage/storage.ts';

/**
 * The blob behind an id, as long as a live certified object keeps it readable. Throws 404 when it is certain
 * that none does, and 503 when that cannot be known now or when the bytes of a live blob are missing here.
 */
export async function findReadable(
  { storage, registry }: Pick<BlobStoreContext, 'storage' | 'registry'>,
  blobId: string,
): Promise<StoredBlob> {
  let live: CertifiedObject[];
  try {
    live = await registry.liveObjects(blobId);
  } catch (error) {
    if (error instanceof RegistryUnavailableError) throw blobUnavailable(error);
    throw error;
  }
  if (live.length === 0) throw blobNotFound();
  const blob = await storage.find(blobId);
  if (blob === undefined) throw blobUnavailable(new Error(`no bytes for the live blob ${blobId}`));
  return blob;
}
