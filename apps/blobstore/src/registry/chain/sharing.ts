import type { KnownBlob } from './blob-index.ts';
import { type ReadBlob, readBlobs, sharedAmong } from './blob-objects.ts';
import type { ChainParts } from './store-batch.ts';

/**
 * Reads a blob that is not a top-level object on chain. Sharing emits no event, so the SharedBlob object is found
 * through the transaction of the blob's last certificate, which created or extended it. Undefined for a burnt blob.
 */
export async function readShared(
  { chain, system: { packageId } }: Pick<ChainParts, 'chain' | 'system'>,
  { objectId, certificate }: KnownBlob,
): Promise<ReadBlob | undefined> {
  if (certificate === undefined) return undefined;
  const result = await chain.call((sui, signal) =>
    sui.core.getTransaction({ digest: certificate.event.txDigest, include: { effects: true }, signal }),
  );
  const changed = (result.Transaction ?? result.FailedTransaction).effects.changedObjects;
  const shared = await sharedAmong(
    chain,
    packageId,
    changed.map((change) => change.objectId),
  );
  const id = shared.get(objectId)?.sharedBlobObject;
  return id === undefined ? undefined : (await readBlobs(chain, packageId, [id])).get(id);
}
