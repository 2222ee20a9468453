import type { SuiClientTypes } from '@mysten/sui/client';
import type { ChainClient } from './chain-client.ts';

export type OwnedObject = SuiClientTypes.Object<{ content: true }>;

/**
 * The objects of a type that an address owns, with their contents, 50 in one call, in the chain's own order. A generic
 * type without its arguments stands for all of its kind. Throws `ChainUnavailableError` and `ChainRejectedError` while
 * it is iterated.
 */
export async function* ownedObjects(
  chain: ChainClient,
  filter: { owner: string; type: string },
): AsyncGenerator<OwnedObject> {
  let cursor: string | null = null;
  do {
    const from: string | null = cursor;
    const page: SuiClientTypes.ListOwnedObjectsResponse<{ content: true }> = await chain.call((sui, signal) =>
      sui.core.listOwnedObjects({ ...filter, cursor: from, limit: 50, include: { content: true }, signal }),
    );
    yield* page.objects;
    cursor = page.hasNextPage ? page.cursor : null;
  } while (cursor !== null);
}
