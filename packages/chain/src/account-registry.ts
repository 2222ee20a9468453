import { bcs } from '@mysten/sui/bcs';
import { ObjectError } from '@mysten/sui/client';
import { registryBcs } from './account-bcs.ts';
import type { ChainClient } from './chain-client.ts';

/**
 * Id of the account that was created by the address `origin`, or undefined if there is none. One lookup in the registry's
 * table, regardless of its size. Throws `ChainUnavailableError` and `ChainRejectedError`.
 */
export async function findAccountOf(
  chain: ChainClient,
  registryId: string,
  origin: string,
): Promise<string | undefined> {
  return chain.call(async (sui, signal) => {
    const { object } = await sui.core.getObject({ objectId: registryId, include: { content: true }, signal });
    const registry = registryBcs.parse(object.content);
    try {
      const { dynamicField } = await sui.core.getDynamicField({
        parentId: registry.accounts.id,
        name: { type: 'address', bcs: bcs.Address.serialize(origin).toBytes() },
        signal,
      });
      return bcs.Address.parse(dynamicField.value.bcs);
    } catch (error) {
      if (error instanceof ObjectError && error.reason === 'notFound') return undefined;
      throw error;
    }
  });
}
