import type { MemoriesPage, MemoriesPageOptions, MemoryEntry } from './wire/types.ts';

/** The body of a list request; `clientNamespace` is the default namespace. */
export function memoriesBody(
  { namespace, allNamespaces, cursor, limit, tags }: MemoriesPageOptions,
  clientNamespace: string | undefined,
): object {
  return { namespace: allNamespaces ? undefined : (namespace ?? clientNamespace), cursor, limit, tags };
}

/** All memories of a list; the next page is fetched when the previous one is used up. */
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
