import { type OwnedBlob, ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import type { Ledger } from '../load/ledger.ts';
import type { FaultWorld } from '../world/fault-world.ts';
import type { Findings } from './findings.ts';

/** The id of a blob, also of one that a patch's id stands for (the first 43 of its 50 characters). */
const blobOf = (id: string): string => id.slice(0, 43);

/**
 * Holds what the chain has of the owners, and of who pays, against what the database knows. Each blob needs one object;
 * whatever there is beside that was paid in vain and has to be in a list from which it can be deleted.
 */
export async function checkObjects(world: FaultWorld, ledger: Ledger, findings: Findings): Promise<void> {
  const listed = new Set(ledger.namedForDeletion);
  for (const [account, { accountId, wallet }] of world.owners.entries()) {
    for (const id of await listedByStats(world, account)) listed.add(id);
    const objects = await objectsOf(world, wallet.address);
    const known = await knownBlobs(world, accountId);
    for (const blob of known.needed)
      if (!objects.has(blob)) findings.lost.push(`no object of the owner has the blob ${blob}`);
    for (const [blobId, all] of objects) {
      const extra = known.needed.has(blobId) ? surplus(all, known.objects) : all;
      for (const { objectId, certified } of extra) {
        if (known.needed.has(blobId)) findings.paidTwice += 1;
        if (!listed.has(objectId))
          findings.unlisted.push(
            `${objectId} of blob ${blobId}, ${certified ? '' : 'not '}certified, ${known.needed.has(blobId) ? 'beside another of that blob' : known.forgotten.has(blobId) ? 'forgotten' : 'of nobody knows what'}`,
          );
      }
    }
  }
}

/** All but the one that the memory has; all but one where no memory names its object. */
function surplus(all: readonly OwnedBlob[], own: ReadonlySet<string>): OwnedBlob[] {
  const kept = all.find(({ objectId }) => own.has(objectId)) ?? all[0];
  return all.filter((blob) => blob !== kept);
}

async function objectsOf({ network }: FaultWorld, address: string): Promise<Map<string, OwnedBlob[]>> {
  const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
  const found = new Map<string, OwnedBlob[]>();
  for await (const blob of ownedBlobs(network.chain, walrus, address))
    found.set(blob.blobId, [...(found.get(blob.blobId) ?? []), blob]);
  return found;
}

/** Blobs that memories, tombstones and the like stand in, and objects that memories name. */
async function knownBlobs({ database }: FaultWorld, accountId: string) {
  const account = [Buffer.from(accountId.slice(2), 'hex')];
  const memories = await database.query<{ blob_id: string; object_id: string | null }>(
    'SELECT blob_id, object_id FROM memory WHERE account_id = $1 AND blob_id IS NOT NULL',
    account,
  );
  const beside = await database.query<{ blob_id: string }>(
    'SELECT blob_id FROM memory_job WHERE account_id = $1 AND kind <> 1 AND blob_id IS NOT NULL',
    account,
  );
  const forgotten = await database.query<{ blob_id: string }>(
    'SELECT blob_id FROM forgotten_memory WHERE account_id = $1 AND blob_id IS NOT NULL',
    account,
  );
  return {
    needed: new Set([...memories.rows, ...beside.rows].map(({ blob_id }) => blobOf(blob_id))),
    objects: new Set(memories.rows.flatMap(({ object_id }) => object_id ?? [])),
    forgotten: new Set(forgotten.rows.map(({ blob_id }) => blobOf(blob_id))),
  };
}

async function listedByStats(_world: FaultWorld, _account: number): Promise<string[]> {
  return [];
}
