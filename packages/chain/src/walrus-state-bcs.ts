import { bcs } from '@mysten/sui/bcs';

/** BCS of Walrus' shared objects: the system and the staking object, and the inner state behind each. */

const element = bcs.struct('Element', { bytes: bcs.byteVector() });
const balance = bcs.struct('Balance', { value: bcs.u64() });

/** Layout of both `System` and `Staking`. The inner state is the dynamic field `u64(version)`. */
export const walrusObjectBcs = bcs.struct('System', {
  id: bcs.Address,
  version: bcs.u64(),
  package_id: bcs.Address,
  new_package_id: bcs.option(bcs.Address),
});

export const systemStateBcs = bcs.struct('SystemStateInnerV1', {
  committee: bcs.struct('BlsCommittee', {
    members: bcs.vector(
      bcs.struct('BlsCommitteeMember', {
        /** Uncompressed G1, 96 bytes */
        public_key: element,
        /** Number of shards it holds */
        weight: bcs.u16(),
        node_id: bcs.Address,
      }),
    ),
    n_shards: bcs.u16(),
    epoch: bcs.u32(),
    /** Compressed G1, 48 bytes */
    total_aggregated_key: element,
  }),
  total_capacity_size: bcs.u64(),
  used_capacity_size: bcs.u64(),
  /** FROST per MiB and epoch */
  storage_price_per_unit_size: bcs.u64(),
  /** FROST per MiB */
  write_price_per_unit_size: bcs.u64(),
  future_accounting: bcs.struct('FutureAccountingRingBuffer', {
    current_index: bcs.u32(),
    /** Maximum number of epochs ahead for which storage can be bought */
    length: bcs.u32(),
    ring_buffer: bcs.vector(
      bcs.struct('FutureAccounting', {
        epoch: bcs.u32(),
        used_capacity: bcs.u64(),
        rewards_to_distribute: balance,
      }),
    ),
  }),
  event_blob_certification_state: bcs.struct('EventBlobCertificationState', {
    latest_certified_blob: bcs.option(
      bcs.struct('EventBlob', { blob_id: bcs.u256(), ending_checkpoint_sequence_number: bcs.u64() }),
    ),
    /** Always empty here */
    aggregate_weight_per_blob: bcs.vector(bcs.u8()),
  }),
  deny_list_sizes: bcs.struct('ExtendedField', { id: bcs.Address }),
});

const committee = bcs.vector(bcs.struct('Entry', { key: bcs.Address, value: bcs.vector(bcs.u16()) }));

export const stakingStateBcs = bcs.struct('StakingInnerV1', {
  n_shards: bcs.u16(),
  /** ms */
  epoch_duration: bcs.u64(),
  /** ms since 1970 */
  first_epoch_start: bcs.u64(),
  pools: bcs.struct('ObjectTable', { id: bcs.Address, size: bcs.u64() }),
  epoch: bcs.u32(),
  active_set: bcs.struct('ExtendedField', { id: bcs.Address }),
  next_committee: bcs.option(committee),
  /** Shards by node id */
  committee,
  previous_committee: committee,
  next_epoch_params: bcs.option(
    bcs.struct('EpochParams', {
      total_capacity_size: bcs.u64(),
      storage_price_per_unit_size: bcs.u64(),
      write_price_per_unit_size: bcs.u64(),
    }),
  ),
  epoch_state: bcs.enum('EpochState', {
    EpochChangeSync: bcs.u16(),
    /** ms since 1970 */
    EpochChangeDone: bcs.u64(),
    NextParamsSelected: bcs.u64(),
  }),
  next_epoch_public_keys: bcs.struct('ExtendedField', { id: bcs.Address }),
});

const table = (name: string) => bcs.struct(name, { id: bcs.Address, size: bcs.u64() });
/** By epoch; always empty here */
const pendingValues = bcs.vector(bcs.struct('Entry', { key: bcs.u32(), value: bcs.u64() }));
const authorized = bcs.enum('Authorized', { Address: bcs.Address, ObjectID: bcs.Address });

/** The object of a storage node (`staking_pool.move`), in which clients find the node's address. */
export const stakingPoolBcs = bcs.struct('StakingPool', {
  id: bcs.Address,
  state: bcs.enum('PoolState', { Active: null, Withdrawing: bcs.u32(), Withdrawn: null }),
  voting_params: bcs.struct('VotingParams', {
    storage_price: bcs.u64(),
    write_price: bcs.u64(),
    node_capacity: bcs.u64(),
  }),
  node_info: bcs.struct('StorageNodeInfo', {
    name: bcs.string(),
    node_id: bcs.Address,
    /** The node's address without `https://`; here with a path, because one process serves all nodes */
    network_address: bcs.string(),
    /** Compressed G1, 48 bytes */
    public_key: element,
    next_epoch_public_key: bcs.option(element),
    network_public_key: bcs.byteVector(),
    metadata: bcs.struct('ExtendedField', { id: bcs.Address }),
  }),
  activation_epoch: bcs.u32(),
  latest_epoch: bcs.u32(),
  wal_balance: bcs.u64(),
  num_shares: bcs.u64(),
  pending_shares_withdraw: pendingValues,
  pre_active_withdrawals: pendingValues,
  pending_commission_rate: pendingValues,
  commission_rate: bcs.u16(),
  exchange_rates: table('Table'),
  pending_stake: pendingValues,
  rewards_pool: balance,
  commission: balance,
  commission_receiver: authorized,
  governance_authorized: authorized,
  extra_fields: table('Bag'),
});
