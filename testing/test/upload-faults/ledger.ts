import type { ChainClient } from '@memrelay/chain/chain-client';
import { blobIdFromInteger, walrusEventBcs } from '@memrelay/chain/walrus-bcs';
import { readWalrusTariff } from '@memrelay/chain/walrus-prices';
import { encodedBlobLength, storageCost, type WalrusPrices } from '@memrelay/chain/walrus-sizes';
import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import type { SuiClientTypes } from '@mysten/sui/client';
import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';

/** A blob object that a transaction created. */
export interface Registration {
  objectId: string;
  blobId: string;
  /** FROST, by the network's prices */
  costFrost: bigint;
}

/** One transaction as recorded on chain. */
export interface LedgerEntry {
  digest: string;
  /** One of the requested wallets, otherwise empty */
  sender: string;
  atMs: number;
  success: boolean;
  gasMist: bigint;
  /** Changes of balances, by address */
  sui: ReadonlyMap<string, bigint>;
  wal: ReadonlyMap<string, bigint>;
  registered: readonly Registration[];
  /** Object ids */
  certified: readonly string[];
}

const include = { effects: true, events: true, balanceChanges: true } as const;
type Listed = SuiClientTypes.Transaction<typeof include>;

/** All transactions since genesis, in the order of the chain. Senders other than `wallets` are not reported. */
export async function readLedger(
  chain: ChainClient,
  info: LocalnetInfo,
  wallets: readonly string[],
): Promise<LedgerEntry[]> {
  // Prices are constant during a run
  const prices = await readWalrusTariff(chain, info.walrus.systemObjectId);
  // Genesis and the faucet are not programmable transactions, and the client reads only the senders of those
  const senders = new Map<string, string>();
  for (const sender of wallets)
    for await (const { digest } of listed(chain, { sender })) senders.set(digest, sender);
  const entries: LedgerEntry[] = [];
  for await (const transaction of listed(chain))
    entries.push(entryOf(transaction, senders.get(transaction.digest) ?? '', info, prices));
  return entries;
}

async function* listed(chain: ChainClient, filter?: { sender: string }): AsyncGenerator<Listed> {
  let after: string | null = null;
  for (let more = true; more; ) {
    const from: string | null = after;
    const page: SuiClientTypes.ListTransactionsResponse<typeof include> = await chain.call((sui, signal) =>
      sui.core.listTransactions({ ...(filter && { filter }), after: from, limit: 50, include, signal }),
    );
    for (const { Transaction, FailedTransaction } of page.transactions)
      yield (Transaction ?? FailedTransaction)!;
    after = page.endCursor ?? after;
    more = page.hasNextPage;
  }
}

function entryOf(listed: Listed, sender: string, info: LocalnetInfo, prices: WalrusPrices): LedgerEntry {
  // The proto omits zeros
  const { computationCost = 0, storageCost: storage = 0, storageRebate = 0 } = listed.effects.gasUsed;
  const eventsNamed = (name: string) =>
    listed.events.filter(({ eventType }) => parseStructTag(eventType).name === name);
  return {
    digest: listed.digest,
    sender,
    atMs: listed.timestampMs ?? 0,
    success: listed.status.success,
    gasMist: BigInt(computationCost) + BigInt(storage) - BigInt(storageRebate),
    sui: changesOf(listed, '0x2::sui::SUI'),
    wal: changesOf(listed, info.walrus.walType),
    registered: eventsNamed('BlobRegistered').map((event) => {
      const { object_id, blob_id, size, epoch, end_epoch } = walrusEventBcs.BlobRegistered.parse(event.bcs);
      const encoded = encodedBlobLength(Number(size), info.walrus.nShards);
      const { storage: kept, write } = storageCost(encoded, end_epoch - epoch, prices);
      return { objectId: object_id, blobId: blobIdFromInteger(blob_id), costFrost: kept + write };
    }),
    certified: eventsNamed('BlobCertified').map(
      ({ bcs: contents }) => walrusEventBcs.BlobCertified.parse(contents).object_id,
    ),
  };
}

function changesOf(listed: Listed, coinType: string): Map<string, bigint> {
  const wanted = normalizeStructTag(coinType);
  const sums = new Map<string, bigint>();
  for (const { address, coinType: type, amount } of listed.balanceChanges)
    if (normalizeStructTag(type) === wanted) sums.set(address, (sums.get(address) ?? 0n) + BigInt(amount));
  return sums;
}
