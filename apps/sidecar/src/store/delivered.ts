import type { ChainClient } from '@memrelay/chain/chain-client';
import { type OwnedBlob, ownedBlobs } from '@memrelay/chain/owned-blobs';

/**
 * The blob objects of an address with this blob id. Pages through everything that the address owns, so use it only when an
 * earlier attempt may exist. Throws the chain's errors.
 */
export async function blobsOf(
  chain: ChainClient,
  blobType: string,
  address: string,
  blobId: string,
): Promise<OwnedBlob[]> {
  const found: OwnedBlob[] = [];
  for await (const blob of ownedBlobs(chain, { blobType }, address))
    if (blob.blobId === blobId) found.push(blob);
  return found;
}

/** The certified object that an earlier attempt delivered to the owner; of several, the one that expires last. */
export async function findDelivered(
  chain: ChainClient,
  blobType: string,
  owner: string,
  blobId: string,
  minEndEpoch = 0,
): Promise<OwnedBlob | undefined> {
  const certified = (await blobsOf(chain, blobType, owner, blobId)).filter(
    (blob) => blob.certified && blob.endEpoch >= minEndEpoch,
  );
  return certified.sort((a, b) => b.endEpoch - a.endEpoch)[0];
}
