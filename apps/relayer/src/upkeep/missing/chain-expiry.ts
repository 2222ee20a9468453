import type { StoreObject } from '@memrelay/protocol/sidecar-api';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import { blobOf } from '../../blobs/blob-of.ts';
import { readObjects } from '../../blobs/read-objects.ts';
import type { WatchedMemory } from '../../jobs/rows/watched-memories.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';

export interface ChainExpiryParts {
  sidecar: Pick<SidecarClient, 'storeObjects'>;
  accounts: Pick<AccountDirectory, 'account'>;
}

type MemoryObject = Pick<WatchedMemory, 'accountId' | 'id' | 'blobId' | 'objectId'>;

/**
 * Returns the epoch in which the blob of each memory expires, by memory id: that of the certified object that lives
 * longest, or 0 if the chain has none. Reads the memories' own objects in one call. If none of them is alive in this
 * epoch, reads all objects of the owner with one call per account. A memory whose owner could not be queried is left
 * out. At most 1,000 memories. Throws if the chain cannot be queried at all.
 */
export async function readExpiryEpochs(
  { sidecar, accounts }: ChainExpiryParts,
  memories: readonly MemoryObject[],
  epoch: number,
): Promise<Map<string, number>> {
  const named = expiryEpochsByBlob(
    await readObjects(
      sidecar,
      memories.map(({ objectId }) => objectId),
    ),
  );
  const expiryEpochs = new Map<string, number>();
  const others = new Map<string, MemoryObject[]>();
  for (const memory of memories) {
    const end = named.get(blobOf(memory.blobId)) ?? 0;
    if (end > epoch) expiryEpochs.set(memory.id, end);
    else {
      const account = `0x${memory.accountId.toString('hex')}`;
      others.set(account, [...(others.get(account) ?? []), memory]);
    }
  }
  for (const [accountId, theirs] of others) {
    const account = await accounts.account(accountId);
    if (!account) continue;
    const blobIds = [...new Set(theirs.map(({ blobId }) => blobOf(blobId)))];
    const request = { object_ids: [], owned: { owner: account.owner, blob_ids: blobIds } };
    // The query for an owner of very many objects may time out, which must not block the other accounts
    const response = await sidecar.storeObjects(request).catch(() => undefined);
    if (!response) continue;
    const owned = expiryEpochsByBlob(response.objects);
    for (const { id, blobId } of theirs) expiryEpochs.set(id, owned.get(blobOf(blobId)) ?? 0);
  }
  return expiryEpochs;
}

function expiryEpochsByBlob(objects: readonly StoreObject[]): Map<string, number> {
  const expiryEpochs = new Map<string, number>();
  for (const { blob_id, end_epoch, certified } of objects)
    if (certified) expiryEpochs.set(blob_id, Math.max(end_epoch, expiryEpochs.get(blob_id) ?? 0));
  return expiryEpochs;
}
