import type { MemoriesPage, MemoriesPageOptions, MemoryEntry } from './wire/types.ts';

/** A page as it is asked for; `usual` is the namespace where none is named. */
export function memoriesBody(
  { namespace, allNamespaces, cursor, limit }: MemoriesPageOptions,
  usual: string | undefined,
): object {
  return { namespace: allNamespaces ? undefined : (namespace ?? usual), cursor, limit };
}

/** Every memory of a list, page after page; the next page is fetched when the one before is used up. */
export async function* eachMemory(
  readPage: (cursor: string | undefined) => Promise<MemoriesPage>,
): AsyncGenerator<MemoryEntry, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    yield* page.memories;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
