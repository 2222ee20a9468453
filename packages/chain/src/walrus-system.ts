import { bcs } from '@mysten/sui/bcs';
import { parseStructTag } from '@mysten/sui/utils';
import type { ChainClient } from './chain-client.ts';
import { ChainUnavailableError } from './chain-errors.ts';
import { systemStateBcs, walrusObjectBcs } from './walrus-state-bcs.ts';

/** The shared system object of a Walrus network: the fields that do not change with every epoch. */
export interface WalrusSystemObject {
  objectId: string;
  /** The current version of the package, whose functions are called */
  packageId: string;
  /** The package that defines the types */
  typePackageId: string;
  /** Version of the inner state, decimal */
  stateVersion: string;
  /** Decimal; transactions refer to a shared object by its id and this version */
  initialSharedVersion: string;
}

export type WalrusSystemState = typeof systemStateBcs.$inferType;

/** Reads the system object, never from a cache. Throws `ChainUnavailableError` and `ChainRejectedError`. */
export async function readSystemObject(chain: ChainClient, objectId: string): Promise<WalrusSystemObject> {
  const { object } = await chain.call((sui, signal) =>
    sui.core.getObject({ objectId, include: { content: true }, signal }),
  );
  const { owner } = object;
  if (owner.$kind !== 'Shared') throw new ChainUnavailableError(`${objectId} is not a shared object`);
  const { package_id, version } = parsed(() => walrusObjectBcs.parse(object.content));
  return {
    objectId,
    packageId: package_id,
    typePackageId: parseStructTag(object.type).address,
    stateVersion: version,
    initialSharedVersion: owner.Shared.initialSharedVersion,
  };
}

/** Reads the inner state, with committee, epoch and prices, never from a cache. Throws like `readSystemObject`. */
export async function readSystemState(
  chain: ChainClient,
  { objectId, stateVersion }: Pick<WalrusSystemObject, 'objectId' | 'stateVersion'>,
): Promise<WalrusSystemState> {
  const { dynamicField } = await chain.call((sui, signal) =>
    sui.core.getDynamicField({
      parentId: objectId,
      name: { type: 'u64', bcs: bcs.u64().serialize(stateVersion).toBytes() },
      signal,
    }),
  );
  return parsed(() => systemStateBcs.parse(dynamicField.value.bcs));
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new ChainUnavailableError('the Walrus system object could not be parsed', { cause });
  }
}
