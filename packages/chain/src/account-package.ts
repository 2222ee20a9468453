import { ObjectError } from '@mysten/sui/client';
import { normalizeStructTag, parseStructTag } from '@mysten/sui/utils';
import type { ChainClient } from './chain-client.ts';
import { ChainRejectedError } from './chain-errors.ts';

/** Why the configured ids are not those of a memrelay account package and its registry. */
export interface PackageProblem {
  /** Which of the two ids is wrong */
  id: 'package' | 'registry';
  message: string;
}

/**
 * Checks the ids of the account package and of its registry on chain. Undefined when they are correct. Throws
 * `ChainUnavailableError`.
 */
export async function findPackageProblem(
  chain: ChainClient,
  packageId: string,
  registryId: string,
): Promise<PackageProblem | undefined> {
  const isPackage = await chain
    .call((sui, signal) =>
      sui.core.getMoveFunction({ packageId, moduleName: 'account', name: 'create_account', signal }),
    )
    .then(() => true, absent(false));
  if (!isPackage) return { id: 'package', message: 'there is no memrelay account package with this id' };
  const type = await chain
    .call((sui, signal) => sui.core.getObject({ objectId: registryId, signal }))
    .then(({ object }) => object.type, absent(undefined));
  if (type === undefined) return { id: 'registry', message: 'there is no object with this id' };
  if (type === normalizeStructTag(`${packageId}::account::Registry`)) return undefined;
  return { id: 'registry', message: otherType(type) };
}

/** Returns `missing` for objects that do not exist on chain; other errors are thrown. */
function absent<T>(answer: T): (error: unknown) => T {
  return (error) => {
    if (!(error instanceof ChainRejectedError)) throw error;
    if (error.cause instanceof ObjectError && error.cause.reason === 'unknown') throw error;
    return answer;
  };
}

function otherType(type: string): string {
  const tag = type.includes('::') ? parseStructTag(type) : undefined;
  return tag?.module === 'account' && tag.name === 'Registry'
    ? `this is the registry of another package, ${tag.address}`
    : 'this object is not a registry';
}
