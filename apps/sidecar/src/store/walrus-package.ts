import type { ChainClient } from '@memrelay/chain/chain-client';
import { ChainRejectedError } from '@memrelay/chain/chain-errors';
import { readSystemObject } from '@memrelay/chain/walrus-system';
import { parseStructTag } from '@mysten/sui/utils';
import { SidecarConfigError } from '../base/config-error.ts';

/** The objects of the Walrus network that uploads use. */
export interface WalrusObjects {
  systemObjectId: string;
  stakingPoolId: string;
  /** STORE_PACKAGE_ID: the system object must belong to this package */
  packageId: string | undefined;
}

/**
 * Checks the configured Walrus objects against the chain: a system object and a staking object of the same package, which
 * must be STORE_PACKAGE_ID if that is set. Returns the current package, whose functions are called. Throws
 * `SidecarConfigError`.
 */
export async function checkWalrus(
  chain: ChainClient,
  { walrus, network }: { walrus: WalrusObjects; network: string },
): Promise<string> {
  const typeOf = (objectId: string): Promise<string> =>
    chain
      .call((sui, signal) => sui.core.getObject({ objectId, signal }))
      .then(({ object }) => object.type)
      .catch((error: unknown) => {
        if (error instanceof ChainRejectedError) return '';
        throw new SidecarConfigError(
          `CHAIN_RPC_URL: the Walrus objects cannot be read from the chain (CHAIN_NETWORK is ${network})`,
        );
      });
  const [systemType, stakingType] = await Promise.all([
    typeOf(walrus.systemObjectId),
    typeOf(walrus.stakingPoolId),
  ]);
  const typePackageId = packageOf(systemType, 'system', 'System');
  const stakingPackageId = packageOf(stakingType, 'staking', 'Staking');
  const problems: string[] = [];
  if (typePackageId === undefined)
    problems.push('STORE_SYSTEM_OBJECT_ID: no Walrus system object with this id exists on CHAIN_NETWORK');
  if (stakingPackageId === undefined)
    problems.push('STORE_STAKING_OBJECT_ID: no Walrus staking object with this id exists on CHAIN_NETWORK');
  else if (typePackageId !== undefined && stakingPackageId !== typePackageId)
    problems.push(
      `STORE_STAKING_OBJECT_ID: this staking object belongs to package ${stakingPackageId}, but the system object to ${typePackageId}`,
    );
  if (problems.length > 0) throw new SidecarConfigError(problems.join('\n'));

  const { packageId } = await readSystemObject(chain, walrus.systemObjectId);
  const expected = walrus.packageId;
  if (expected !== undefined && expected !== packageId && expected !== typePackageId)
    throw new SidecarConfigError(
      `STORE_PACKAGE_ID: the system object is of package ${packageId}, not of this one; set STORE_SYSTEM_OBJECT_ID and STORE_STAKING_OBJECT_ID to the objects of the package, or leave all three unset`,
    );
  return packageId;
}

function packageOf(type: string, module: string, name: string): string | undefined {
  if (!type.includes('::')) return undefined;
  const tag = parseStructTag(type);
  return tag.module === module && tag.name === name ? tag.address : undefined;
}
