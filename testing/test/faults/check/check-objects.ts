import { type OwnedBlob, ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import type { Ledger } from '../load/ledger.ts';
import type { FaultWorld } from '../world/fault-world.ts';
import type { Findings } from './findings.ts';

/** The blob of an id, also if the id names a patch: 32 bytes, followed by the position of the patch. */
const blobOf = (id: string): string => Buffer.from(id, 'base64url').subarray(0, 32).toString('base64url');

/**
 * Compares the on-chain objects of the owners and the payer with the database. Each blob needs one object. Every other object
 * was paid for unnecessarily and must be listed for deletion.
 */
export async function checkObjects(world: FaultWorld, ledger: Ledger, findings: Findings): Promise<void> {
  for (const [account, { accountId, wallet }] of world.owners.entries()) {
    const listed = new Set([...ledger.namedForDeletion, ...(await listedByStats(world, account))]);
    const objects = await objectsOf(world, wallet.address);
    const known = await knownBlobs(world, accountId);
    for (const blob of known.needed)
      if (!objects.has(blob)) findings.lost.push(`no object of the owner has the blob ${blob}`);
    for (const [blobId, all] of objects) {
      const isNeeded = known.needed.has(blobId);
      const extra = isNeeded ? surplus(all, known.objects) : all;
      if (isNeeded) findings.paidTwice += extra.length;
      for (const { objectId, certified } of extra)
        if (!listed.has(objectId)) {
          const what = isNeeded ? 'a second one' : known.forgotten.has(blobId) ? 'forgotten' : 'unknown';
          findings.unlisted.push(
            `${objectId} of blob ${blobId}: ${what}, ${certified ? '' : 'not '}certified`,
          );
        }
    }
  }
  await checkPayer(world, findings);
}

/**
 * A publisher that was killed between payment and certification keeps the object that it paid for. Checks that its operator
 * can see these objects.
 */
async function checkPayer(world: FaultWorld, findings: Findings): Promise<void> {
  const listed = new Set<string>();
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const url = new URL('/admin/objects?limit=1000', world.network.blobstoreUrl);
    if (cursor) url.searchParams.set('cursor', cursor);
    const response = await fetch(url, { headers: { authorization: `Bearer ${world.adminToken}` } });
    const page = (await response.json()) as AdminObjects;
    for (const { blobObject } of page.objects) listed.add(blobObject.id);
    cursor = page.cursor;
  }
  for (const all of (await objectsOf(world, world.payer)).values())
    for (const { objectId, blobId } of all) {
      findings.leftWithPublisher += 1;
      if (!listed.has(objectId))
        findings.unlisted.push(`${objectId} of blob ${blobId}: left with the publisher that paid for it`);
    }
}

interface AdminObjects {
  objects: { blobObject: { id: string } }[];
  cursor?: string;
}

/** All objects of a blob except the memory's own one; if no memory refers to an object, all except one. */
function surplus(all: readonly OwnedBlob[], own: ReadonlySet<string>): OwnedBlob[] {
  const kept = all.find(({ objectId }) => own.has(objectId)) ?? all[0];
  return all.filter((blob) => blob !== kept);
}

async function objectsOf({ network }: FaultWorld, address: string): Promise<Map<string, OwnedBlob[]>> {
  const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
  const byBlob = new Map<string, OwnedBlob[]>();
  for await (const blob of ownedBlobs(network.chain, walrus, address))
    byBlob.set(blob.blobId, [...(byBlob.get(blob.blobId) ?? []), blob]);
  return byBlob;
}

/** Blobs of memories, tombstones and rewraps, and the objects that memories refer to. */
async function knownBlobs({ database }: FaultWorld, accountId: string) {
  const account = [Buffer.from(accountId.slice(2), 'hex')];
  const memories = await database.query<{ blob_id: string; object_id: string | null }>(
    'SELECT blob_id, object_id FROM memory WHERE account_id = $1 AND blob_id IS NOT NULL',
    account,
  );
  const otherJobs = await database.query<{ blob_id: string }>(
    'SELECT blob_id FROM memory_job WHERE account_id = $1 AND kind <> 1 AND blob_id IS NOT NULL',
    account,
  );
  const forgotten = await database.query<{ blob_id: string }>(
    'SELECT blob_id FROM forgotten_memory WHERE account_id = $1 AND blob_id IS NOT NULL',
    account,
  );
  return {
    needed: new Set([...memories.rows, ...otherJobs.rows].map(({ blob_id }) => blobOf(blob_id))),
    objects: new Set(memories.rows.flatMap(({ object_id }) => object_id ?? [])),
    forgotten: new Set(forgotten.rows.map(({ blob_id }) => blobOf(blob_id))),
  };
}

async function listedByStats({ owners, relayers }: FaultWorld, account: number): Promise<string[]> {
  const client = owners[account]!.client(relayers[0]!.url);
  const { blobsToDelete = [] } = await client.stats();
  client.destroy();
  return blobsToDelete;
}
