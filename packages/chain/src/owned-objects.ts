import type { SuiClientTypes } from '@mysten/sui/client';
import type { ChainClient } from './chain-client.ts';

export type OwnedObject = SuiClientTypes.Object<{ content: true }>;

export interface OwnedPage<Item> {
  items: Item[];
  /** Start of the next page; null after the last */
  cursor: string | null;
}

/**
 * At most 50 objects of a type that an address owns, with their contents, in the chain's order, after `cursor` (null: from
 * the first). A generic type without type arguments matches all its instances. Throws `ChainUnavailableError` and
 * `ChainRejectedError`.
 */
export async function ownedObjectsPage(
  chain: ChainClient,
  filter: { owner: string; type: string },
  cursor: string | null,
): Promise<OwnedPage<OwnedObject>> {
  const page = await chain.call((sui, signal) =>
    sui.core.listOwnedObjects({ ...filter, cursor, limit: 50, include: { content: true }, signal }),
  );
  return { items: page.objects, cursor: page.hasNextPage ? page.cursor : null };
}

/** All such objects, read page by page. Throws like `ownedObjectsPage` during the iteration. */
export async function* ownedObjects(
  chain: ChainClient,
  filter: { owner: string; type: string },
): AsyncGenerator<OwnedObject> {
  let cursor: string | null = null;
  do {
    const page: OwnedPage<OwnedObject> = await ownedObjectsPage(chain, filter, cursor);
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== null);
}
