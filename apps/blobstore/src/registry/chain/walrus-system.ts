import type { ChainClient } from '@memrelay/chain/chain-client';
import type { WalrusPrices } from '@memrelay/chain/walrus-sizes';
import { systemStateBcs, walrusObjectBcs } from '@memrelay/chain/walrus-state-bcs';
import { type LocalnetInfo, localnetInfoSchema } from '@memrelay/protocol/localnet-info';
import { bcs } from '@mysten/sui/bcs';

/** What every Walrus call names, fixed for the life of a network. */
export interface WalrusSystem {
  packageId: string;
  objectId: string;
  /** Decimal; transactions name a shared object by it */
  initialSharedVersion: string;
  /** Which inner state is in use */
  stateVersion: string;
  /** Type of the WAL coin's type argument */
  walType: string;
  nShards: number;
}

/** What changes, by epochs at the earliest. */
export interface WalrusState {
  epoch: number;
  nShards: number;
  prices: WalrusPrices;
  /** Public keys of the storage nodes, uncompressed G1, in the order of the signers' bitmap */
  nodeKeys: Uint8Array[];
}

const infoTimeoutMs = 5000;

/** The ids of the network at `chainUrl`. Throws when nothing answers there as a localnet does. */
export async function fetchChainInfo(chainUrl: string): Promise<LocalnetInfo> {
  try {
    const response = await fetch(new URL('info', `${chainUrl.replace(/\/$/, '')}/`), {
      signal: AbortSignal.timeout(infoTimeoutMs),
    });
    return localnetInfoSchema.parse(await response.json());
  } catch (error) {
    throw new Error(`BLOBSTORE_CHAIN_URL: no chain with Walrus answers at ${chainUrl}`, { cause: error });
  }
}

/** Throws `ChainUnavailableError` or `ChainRejectedError`, also below. */
export async function readWalrusSystem(
  chain: ChainClient,
  { packageId, systemObjectId, walType, nShards }: LocalnetInfo['walrus'],
): Promise<WalrusSystem> {
  const { object } = await chain.call((sui, signal) =>
    sui.core.getObject({ objectId: systemObjectId, include: { content: true }, signal }),
  );
  if (object.owner.$kind !== 'Shared') throw new Error(`${systemObjectId} is not a shared object`);
  return {
    packageId,
    objectId: systemObjectId,
    initialSharedVersion: object.owner.Shared.initialSharedVersion,
    stateVersion: walrusObjectBcs.parse(object.content).version,
    walType,
    nShards,
  };
}

export async function readWalrusState(chain: ChainClient, system: WalrusSystem): Promise<WalrusState> {
  const { dynamicField } = await chain.call((sui, signal) =>
    sui.core.getDynamicField({
      parentId: system.objectId,
      name: { type: 'u64', bcs: bcs.u64().serialize(system.stateVersion).toBytes() },
      signal,
    }),
  );
  const state = systemStateBcs.parse(dynamicField.value.bcs);
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
