import type { MemoriesPage, MemoryEntry } from './types.ts';

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
