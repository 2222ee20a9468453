import type { StoreObject } from '@memrelay/protocol/sidecar-api';
import type { AccountDirectory } from '../../accounts/account-directory.ts';
import { blobOf } from '../../blobs/blob-of.ts';
import { readObjects } from '../../blobs/read-objects.ts';
import type { WatchedMemory } from '../../jobs/rows/watched-memories.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';

export interface ChainSources {
  sidecar: Pick<SidecarClient, 'storeObjects'>;
  accounts: Pick<AccountDirectory, 'account'>;
}

type Asked = Pick<WatchedMemory, 'accountId' | 'id' | 'blobId' | 'objectId'>;

/**
 * The first epoch in which the blob of each memory is gone, by the memory's id: of the certified object that lives
 * longest, or 0 when the chain knows none. Looks at the memories' own objects in one call, and at what else their owners
 * hold where none of those lives in this epoch: one call an account. A memory whose owner could not be asked is not in
 * the answer. At most 1,000 memories. Throws when the chain cannot be asked at all.
 */
export async function askChain(
  { sidecar, accounts }: ChainSources,
  memories: readonly Asked[],
  epoch: number,
): Promise<Map<string, number>> {
  const named = endsByBlob(
    await readObjects(
      sidecar,
      memories.map(({ objectId }) => objectId),
    ),
  );
  const ends = new Map<string, number>();
  const others = new Map<string, Asked[]>();
  for (const memory of memories) {
    const end = named.get(blobOf(memory.blobId)) ?? 0;
    if (end > epoch) ends.set(memory.id, end);
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
    // One who owns very much may take too long to be asked, which must not hold up all others
    const held = await sidecar.storeObjects(request).catch(() => undefined);
    if (!held) continue;
    const owned = endsByBlob(held.objects);
    for (const { id, blobId } of theirs) ends.set(id, owned.get(blobOf(blobId)) ?? 0);
  }
  return ends;
}

function endsByBlob(objects: readonly StoreObject[]): Map<string, number> {
  const ends = new Map<string, number>();
  for (const { blob_id, end_epoch, certified } of objects)
    if (certified) ends.set(blob_id, Math.max(end_epoch, ends.get(blob_id) ?? 0));
  return ends;
}
