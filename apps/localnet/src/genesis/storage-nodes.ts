import { stakingPoolBcs } from '@memrelay/chain/walrus-state-bcs';
import type { SystemObject } from '../chain/chain.ts';
import type { WalrusGenesis } from './walrus-objects.ts';

/** Capacity of the network, so high that it is never reached: 1 PiB */
const capacityBytes = 1n << 50n;

/**
 * The objects of the storage nodes, from which clients read each node's address. All nodes are in one process, at
 * `/nodes/<index>` below its URL.
 */
export function storageNodeObjects(
  { ids, committee: { members }, prices }: WalrusGenesis,
  url: string,
): SystemObject[] {
  const address = url.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return members.map(({ index, publicKey }) => {
    const id = ids.nodeIds[index]!;
    const contents = stakingPoolBcs.serialize({
      id,
      state: { Active: true },
      voting_params: {
        storage_price: prices.storage,
        write_price: prices.write,
        node_capacity: capacityBytes / BigInt(members.length),
      },
      node_info: {
        name: `memrelay ${index}`,
        node_id: id,
        network_address: `${address}/nodes/${index}`,
        public_key: { bytes: publicKey },
        next_epoch_public_key: null,
        network_public_key: new Uint8Array(),
        metadata: { id: ids.poolsTableId },
      },
      activation_epoch: 1,
      latest_epoch: 1,
      wal_balance: 0,
      num_shares: 0,
      pending_shares_withdraw: [],
      pre_active_withdrawals: [],
      pending_commission_rate: [],
      commission_rate: 0,
      exchange_rates: { id: ids.poolsTableId, size: 0 },
      pending_stake: [],
      rewards_pool: { value: 0 },
      commission: { value: 0 },
      commission_receiver: { Address: id },
      governance_authorized: { Address: id },
      extra_fields: { id: ids.poolsTableId, size: 0 },
    });
    return {
      id,
      type: `${ids.walrusPackageId}::staking_pool::StakingPool`,
      owner: { kind: 'object', parent: ids.poolsTableId },
      contents: contents.toBytes(),
    };
  });
}
