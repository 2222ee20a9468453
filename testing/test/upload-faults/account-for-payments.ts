import { ownedBlobs } from '@memrelay/chain/owned-blobs';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import type { StoredJob } from './check-memories.ts';
import type { Kill } from './kills.ts';
import { type LedgerEntry, readLedger } from './ledger.ts';
import { blobOf, countPayments, type Drain, type Payments } from './payments.ts';
import type { UploadWorld } from './upload-world.ts';

interface Story {
  stored: readonly StoredJob[];
  kills: readonly Kill[];
  drain: Drain | undefined;
}

/** Compares the chain's complete history with the memories: every payment, and the owner of each object. */
export async function accountForPayments(
  world: UploadWorld,
  { stored, kills, drain }: Story,
): Promise<{ payments: Payments; ownersObjects: number; leftInWallets: number }> {
  const { network, wallets, owner } = world;
  const ledger = await readLedger(network.chain, network.info, wallets);
  const ownersObjects = await objectsOf(world, [owner.wallet.address]);
  const walletsObjects = await objectsOf(world, wallets);
  const payments = countPayments({
    ledger,
    wallets,
    walletsResume: world.path === 'relay',
    jobs: new Map(stored.map(({ blobId, jobId }) => [blobOf(blobId), jobId])),
    objects: new Map(stored.map(({ jobId, objectId }) => [jobId, objectId])),
    ownersObjects,
    walletsObjects,
    kills,
    drain,
  });
  const accounted = new Set([
    ...stored.map(({ objectId }) => objectId),
    ...payments.extras.map(({ objectId }) => objectId),
  ]);
  for (const objectId of [...ownersObjects, ...walletsObjects])
    if (!accounted.has(objectId)) payments.broken.push(`${objectId} was registered by an unknown sender`);
  payments.broken.push(...(await balanceErrors(world, ledger)));
  return { payments, ownersObjects: ownersObjects.size, leftInWallets: walletsObjects.size };
}

async function objectsOf({ network }: UploadWorld, addresses: readonly string[]): Promise<Set<string>> {
  const walrus = await readWalrusNetwork(network.chain, network.info.walrus.systemObjectId);
  const ids = new Set<string>();
  for (const address of addresses)
    for await (const { objectId } of ownedBlobs(network.chain, walrus, address)) ids.add(objectId);
  return ids;
}

/**
 * Checks that each balance is the sum of the transactions in the history, and that gas and tips are the only cost in SUI.
 */
async function balanceErrors(
  { network, wallets }: UploadWorld,
  ledger: readonly LedgerEntry[],
): Promise<string[]> {
  const errors: string[] = [];
  for (const owner of wallets)
    for (const coin of ['sui', 'wal'] as const) {
      const coinType = coin === 'wal' ? network.info.walrus.walType : '0x2::sui::SUI';
      const { balance } = await network.chain.sui.core.getBalance({ owner, coinType });
      const expected = ledger.reduce((total, entry) => total + (entry[coin].get(owner) ?? 0n), 0n);
      if (BigInt(balance.balance) !== expected)
        errors.push(`${owner} has ${balance.balance} of ${coin}, but its transactions add up to ${expected}`);
    }
  for (const { digest, sender, sui, gasMist } of ledger.filter((entry) => wallets.includes(entry.sender))) {
    const total = [...sui.values()].reduce((sum, change) => sum + change, 0n);
    if (total !== -gasMist) errors.push(`${digest} of ${sender} lost ${-total} MIST, but gas was ${gasMist}`);
  }
  return errors;
}
