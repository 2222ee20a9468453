import type { ChainClient } from '@memrelay/chain/chain-client';
import type { WalrusPrices } from '@memrelay/chain/walrus-sizes';
import { readSystemObject, readSystemState } from '@memrelay/chain/walrus-system';
import { type LocalnetInfo, localnetInfoSchema } from '@memrelay/protocol/localnet-info';

/** The arguments of every Walrus call, fixed for the lifetime of a network. */
export interface WalrusSystem {
  packageId: string;
  objectId: string;
  /** Decimal; needed to reference the shared object in transactions */
  initialSharedVersion: string;
  /** Version of the inner state in use */
  stateVersion: string;
  /** The coin type of WAL, such as `0x…::wal::WAL` */
  walType: string;
  nShards: number;
  /** Bitmap of the storage nodes that sign a certificate; all nodes sign */
  signers: Uint8Array;
}

/** The part of the Walrus state that changes at most once per epoch. */
export interface WalrusState {
  epoch: number;
  nShards: number;
  prices: WalrusPrices;
  /** Public keys of the storage nodes, uncompressed G1, in the order of the signers' bitmap */
  nodeKeys: Uint8Array[];
}

const infoTimeoutMs = 5000;

/** The ids of the network at `chainUrl`. Throws if no localnet responds there. */
export async function fetchChainInfo(chainUrl: string): Promise<LocalnetInfo> {
  try {
    const response = await fetch(new URL('info', `${chainUrl.replace(/\/$/, '')}/`), {
      signal: AbortSignal.timeout(infoTimeoutMs),
    });
    return localnetInfoSchema.parse(await response.json());
  } catch (error) {
    throw new Error(`BLOBSTORE_CHAIN_URL: no chain with Walrus responds at ${chainUrl}`, { cause: error });
  }
}

/** Like `readWalrusState`, throws `ChainUnavailableError` or `ChainRejectedError`. */
export async function readWalrusSystem(
  chain: ChainClient,
  { packageId, systemObjectId, walType, nShards }: LocalnetInfo['walrus'],
  signers: Uint8Array,
): Promise<WalrusSystem> {
  const { initialSharedVersion, stateVersion } = await readSystemObject(chain, systemObjectId);
  return {
    packageId,
    objectId: systemObjectId,
    initialSharedVersion,
    stateVersion,
    walType,
    nShards,
    signers,
  };
}

export async function readWalrusState(chain: ChainClient, system: WalrusSystem): Promise<WalrusState> {
  const state = await readSystemState(chain, system);
  return {
    epoch: state.committee.epoch,
    nShards: state.committee.n_shards,
    prices: {
      storage: BigInt(state.storage_price_per_unit_size),
      write: BigInt(state.write_price_per_unit_size),
    },
    nodeKeys: state.committee.members.map(({ public_key }) => Uint8Array.from(public_key.bytes)),
  };
}
