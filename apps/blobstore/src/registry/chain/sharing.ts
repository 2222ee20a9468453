import type { KnownBlob } from './blob-index.ts';
import { type ReadBlob, readBlobs, sharedAmong } from './blob-objects.ts';
import type { ChainParts } from './store-batch.ts';

/**
 * A blob that is not a top-level object on chain: it is in the SharedBlob object that the transaction of its last
 * certificate created or extended; undefined for a burnt one. There is no event of sharing.
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
