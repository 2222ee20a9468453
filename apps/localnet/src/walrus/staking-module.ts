import { stakingPoolBcs, walrusObjectBcs } from '@memrelay/chain/walrus-state-bcs';
import { bcs } from '@mysten/sui/bcs';
import { MoveAbort, type NativeModule } from '../execution/native.ts';

/** Walrus' module `staking`: only readable. `@mysten/walrus` reads the WAL type from `stake_with_pool`. */
export function createStakingModule(packageId: string, walType: string): NativeModule {
  return {
    packageId,
    name: 'staking',
    structs: { Staking: walrusObjectBcs },
    keyOnly: ['Staking'],
    functions: {
      stake_with_pool: {
        params: [
          { kind: 'ref', type: `${packageId}::staking::Staking`, mutable: true },
          { kind: 'own', type: `0x2::coin::Coin<${walType}>` },
          { kind: 'pure', bcs: bcs.Address },
        ],
        visibility: 'public',
        run: () => {
          throw new MoveAbort(0, 'staking', 'stake_with_pool');
        },
      },
    },
  };
}

/** Walrus' module `staking_pool`: the objects of the storage nodes, only readable. */
export function createStakingPoolModule(packageId: string): NativeModule {
  return {
    packageId,
    name: 'staking_pool',
    structs: { StakingPool: stakingPoolBcs },
    functions: {},
  };
}
