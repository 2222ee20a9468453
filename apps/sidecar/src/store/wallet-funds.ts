import type { ChainClient } from '@memrelay/chain/chain-client';
import { readWalrusNetwork } from '@memrelay/chain/walrus-network';
import { assumedGas, readWalrusTariff, readWalType } from '@memrelay/chain/walrus-prices';
import { encodedBlobLength, storageCost } from '@memrelay/chain/walrus-sizes';
import type { WalletFunds } from '@memrelay/protocol/sidecar-api';
import pLimit from 'p-limit';
import { gasReserveMist } from './relay-uploader.ts';

/** Size of an ordinary memory's envelope. With 1000 shards, everything up to 445,556 bytes costs the same. */
const typicalBytes = 2_000;
const callsAtOnce = 4;

export interface WalletFundsOptions {
  chain: ChainClient;
  systemObjectId: string;
  uploadWallets: readonly string[];
  /** The wallet that pays the gas of users; undefined if there is none */
  sponsorWallet: string | undefined;
  /** Tip of the upload relay for a blob of this size, in MIST */
  tipMist: (size: number) => Promise<bigint>;
}

/**
 * The balances of our own wallets, and how many uploads for `epochs` epochs, or sponsored transactions, they pay for.
 * Throws the chain's errors.
 */
export async function readWalletFunds(options: WalletFundsOptions, epochs: number): Promise<WalletFunds[]> {
  const { chain, uploadWallets, sponsorWallet } = options;
  const limit = pLimit(callsAtOnce);
  const balance = (owner: string, coinType?: string): Promise<bigint> =>
    limit(() =>
      chain.call(async (sui, signal) => {
        const answer = await sui.core.getBalance({ owner, ...(coinType ? { coinType } : {}), signal });
        return BigInt(answer.balance.balance);
      }),
    );
  const funds: Promise<WalletFunds>[] = [];
  if (uploadWallets.length > 0) {
    const price = await uploadPrice(options, epochs);
    const uploads = async (address: string): Promise<WalletFunds> => {
      const [sui, wal] = await Promise.all([balance(address), balance(address, price.walType)]);
      const bySui = sui < gasReserveMist ? 0n : 1n + (sui - gasReserveMist) / price.suiMist;
      const byWal = wal / price.walFrost;
      return {
        address,
        purpose: 'uploads',
        pays_for: count(bySui < byWal ? bySui : byWal),
        short_of: bySui < byWal ? 'SUI' : 'WAL',
        sui_mist: String(sui),
        wal_frost: String(wal),
      };
    };
    funds.push(...uploadWallets.map(uploads));
  }
  if (sponsorWallet !== undefined)
    funds.push(
      balance(sponsorWallet).then((sui) => ({
        address: sponsorWallet,
        purpose: 'sponsoring',
        pays_for: count(sui / assumedGas.transaction),
        short_of: 'SUI',
        sui_mist: String(sui),
        wal_frost: '0',
      })),
    );
  return Promise.all(funds);
}

async function uploadPrice({ chain, systemObjectId, tipMist }: WalletFundsOptions, epochs: number) {
  const [tariff, walType, tip] = await Promise.all([
    readWalrusTariff(chain, systemObjectId),
    readWalrusNetwork(chain, systemObjectId).then((walrus) => readWalType(chain, walrus)),
    tipMist(typicalBytes),
  ]);
  const { storage, write } = storageCost(encodedBlobLength(typicalBytes, tariff.nShards), epochs, tariff);
  // At least 1: a free network must not cause a division by zero
  return { walType, walFrost: storage + write || 1n, suiMist: assumedGas.upload + tip };
}

function count(times: bigint): number {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(times < most ? times : most);
}
