import type { MemoriesResponse } from '@memrelay/protocol/memory-lists';
import { camelKeys } from './wire/camel-keys.ts';
import { type Connection, callRelayer } from './wire/request.ts';
import type { MemoriesPage, MemoriesPageOptions, MemoryEntry } from './wire/types.ts';

/** One page of a list. Texts need a session, which is for the package that `packageId` returns. */
export async function readPage(
  connection: Connection,
  { namespace, allNamespaces, cursor, limit, tags, texts, signal }: MemoriesPageOptions,
  packageId: () => Promise<string>,
): Promise<MemoriesPage> {
  const body = { namespace: allNamespaces ? undefined : namespace, cursor, limit, tags, texts };
  const session = texts ? { sessionPackageId: await packageId() } : {};
  const call = { method: 'POST', path: '/api/memories', body, ...session, signal } as const;
  return camelKeys((await callRelayer<MemoriesResponse>(connection, call)).value);
}

/** All memories of a list; the next page is fetched when the previous one is used up. */
export async function* eachMemory(
  read: (cursor: string | undefined) => Promise<MemoriesPage>,
): AsyncGenerator<MemoryEntry, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* page.memories;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
