import { mostMembers } from '@memrelay/chain/walrus-committee';
import { seededId } from '../execution/hash.ts';

/** Every id of a network, all derived from its seed. */
export interface NetworkIds {
  accountPackageId: string;
  registryId: string;
  registryTableId: string;
  walrusPackageId: string;
  walType: string;
  systemObjectId: string;
  stakingObjectId: string;
  /** By index in the committee, for the maximum size of a committee */
  nodeIds: string[];
  /** The table of the storage nodes' objects */
  poolsTableId: string;
}

export function networkIds(seed: Uint8Array): NetworkIds {
  const id = (label: string) => seededId(seed, label);
  return {
    accountPackageId: id('account-package'),
    registryId: id('account-registry'),
    registryTableId: id('account-registry-table'),
    walrusPackageId: id('walrus-package'),
    walType: `${id('wal-package')}::wal::WAL`,
    systemObjectId: id('walrus-system'),
    stakingObjectId: id('walrus-staking'),
    nodeIds: Array.from({ length: mostMembers }, (_, index) =>
      id(index === 0 ? 'walrus-node' : `walrus-node-${index}`),
    ),
    poolsTableId: id('walrus-pools'),
  };
}
