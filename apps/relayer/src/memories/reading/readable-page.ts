import type { MemoriesRequest } from '@memrelay/protocol/memory-lists';
import type { Caller } from '../../accounts/caller.ts';
import { requirePermission } from '../../accounts/require-permission.ts';
import type { Secrets } from '../../base/config/secrets.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import { contextTokens, filterTokens } from '../../index/context-tokens.ts';
import { firstPage, type ListedMemory, readAcceptedPage, readMemoryPage } from '../rows/page-rows.ts';
import { makeCursor, readCursor } from './list-cursor.ts';
import { readableNamespaces, type ScopeParts } from './scope-namespaces.ts';

/** Memories that a caller may read, newest first. */
export interface ReadablePage {
  /** As many as requested, or all that are left */
  memories: ListedMemory[];
  /** There is a next page */
  more: boolean;
  /** The cursor of the page after this memory; valid only for the same list */
  cursorAfter(memory: ListedMemory): string;
}

export interface PageParts extends ScopeParts {
  secrets: Pick<Secrets, 'indexKey'>;
}

/**
 * Returns one page of the memories in a namespace, or in all that the caller may read; with `texts` also those that wait
 * to be embedded. Throws `insufficient_scope`, and `invalid_request` for a cursor of another list.
 */
export async function readablePage(
  parts: PageParts,
  caller: Caller,
  { namespace, cursor, limit, tags, texts }: MemoriesRequest,
): Promise<ReadablePage> {
  const { account } = caller;
  const accountId = hexToBytes(account.accountId);
  if (namespace !== undefined) requirePermission(caller, 'read', parts.tagOf(account.origin, namespace));
  const namespaces = namespace === undefined ? await readableNamespaces(parts, caller) : [namespace];
  const { indexKey } = parts.secrets;
  const set = { accountId, namespace };
  const position = cursor === undefined ? firstPage : readCursor(indexKey, set, cursor);
  const filter =
    namespace === undefined
      ? undefined
      : filterTokens(
          contextTokens({ indexSecret: indexKey, accountId, tag: parts.tagOf(account.origin, namespace) }),
          tags,
        );
  // One more than is returned, to see whether there is a next page
  const read = texts ? readAcceptedPage : readMemoryPage;
  const found = await read(parts.db, accountId, namespaces, position, limit + 1, filter);
  return {
    memories: found.slice(0, limit),
    more: found.length > limit,
    cursorAfter: (memory) => makeCursor(indexKey, set, memory.position),
  };
}
