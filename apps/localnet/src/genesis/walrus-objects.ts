import type { StorageCommittee } from '@memrelay/chain/walrus-committee';
import type { WalrusPrices } from '@memrelay/chain/walrus-sizes';
import { stakingStateBcs, systemStateBcs, walrusObjectBcs } from '@memrelay/chain/walrus-state-bcs';
import { bcs } from '@mysten/sui/bcs';
import type { SystemObject } from '../chain/chain.ts';
import { fieldTypeOf } from '../execution/type-tags.ts';
import { fieldContents, fieldId } from '../execution/workspace.ts';
import type { NetworkIds } from './network-ids.ts';

export interface WalrusGenesis {
  ids: NetworkIds;
  committee: StorageCommittee;
  maxEpochsAhead: number;
  prices: WalrusPrices;
  epochDurationMs: number;
}

/** Version of the inner state of both objects. */
const stateVersion = 1n;
/** 1 PiB, so high that it is never reached */
const capacityBytes = 1n << 50n;

/** The shared objects that Walrus calls take as arguments. */
export function walrusObjects({ ids }: WalrusGenesis): SystemObject[] {
  const shared = (id: string, type: string): SystemObject => ({
    id,
    type,
    owner: { kind: 'shared', initialVersion: 1n },
    contents: walrusObjectBcs
      .serialize({ id, version: stateVersion, package_id: ids.walrusPackageId, new_package_id: null })
      .toBytes(),
  });
  return [
    shared(ids.systemObjectId, `${ids.walrusPackageId}::system::System`),
    shared(ids.stakingObjectId, `${ids.walrusPackageId}::staking::Staking`),
  ];
}

/** The inner states, which contain the epoch. */
export function walrusEpochObjects(genesis: WalrusGenesis, epoch: number): SystemObject[] {
  const { ids } = genesis;
  return [
    stateField(
      ids.systemObjectId,
      `${ids.walrusPackageId}::system_state_inner::SystemStateInnerV1`,
      systemState(genesis, epoch),
    ),
    stateField(
      ids.stakingObjectId,
      `${ids.walrusPackageId}::staking_inner::StakingInnerV1`,
      stakingState(genesis, epoch),
    ),
  ];
}

function stateField(parent: string, valueType: string, value: Uint8Array): SystemObject {
  const name = bcs.u64().serialize(stateVersion).toBytes();
  const id = fieldId(parent, { type: 'u64', bytes: name });
  return {
    id,
    type: fieldTypeOf('u64', valueType),
    owner: { kind: 'object', parent },
    contents: fieldContents(id, name, value),
  };
}

function systemState({ ids, committee, prices, maxEpochsAhead }: WalrusGenesis, epoch: number): Uint8Array {
  return systemStateBcs
    .serialize({
      committee: {
        members: committee.members.map(({ index, publicKeyUncompressed, shards }) => ({
          public_key: { bytes: publicKeyUncompressed },
          weight: shards.length,
          node_id: ids.nodeIds[index]!,
        })),
        n_shards: committee.nShards,
        epoch,
        total_aggregated_key: { bytes: committee.publicKey },
      },
      total_capacity_size: capacityBytes,
      used_capacity_size: 0,
      storage_price_per_unit_size: prices.storage,
      write_price_per_unit_size: prices.write,
      future_accounting: {
        current_index: 0,
        length: maxEpochsAhead,
        ring_buffer: Array.from({ length: maxEpochsAhead }, (_, ahead) => ({
          epoch: epoch + ahead,
          used_capacity: 0,
          rewards_to_distribute: { value: 0 },
        })),
      },
      event_blob_certification_state: { latest_certified_blob: null, aggregate_weight_per_blob: [] },
      deny_list_sizes: { id: ids.poolsTableId },
    })
    .toBytes();
}

function stakingState(
  { ids, committee: { members, nShards }, epochDurationMs }: WalrusGenesis,
  epoch: number,
): Uint8Array {
  const committee = members.map(({ index, shards }) => ({ key: ids.nodeIds[index]!, value: shards }));
  return stakingStateBcs
    .serialize({
      n_shards: nShards,
      epoch_duration: epochDurationMs,
      first_epoch_start: 0,
      pools: { id: ids.poolsTableId, size: members.length },
      epoch,
      active_set: { id: ids.poolsTableId },
      next_committee: null,
      committee,
      previous_committee: committee,
      next_epoch_params: null,
      epoch_state: { EpochChangeDone: 0 },
      next_epoch_public_keys: { id: ids.poolsTableId },
    })
    .toBytes();
}
