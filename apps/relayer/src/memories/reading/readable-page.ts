import type { MemoriesRequest } from '@memrelay/protocol/memory-lists';
import type { Caller } from '../../accounts/caller.ts';
import { requirePermission } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { RelayerContext } from '../../context.ts';
import { makeCursor, readCursor } from './list-cursor.ts';
import { firstPage, type ListedMemory, readMemoryPage } from './memory-pages.ts';
import { readableNamespaces } from './scope-namespaces.ts';

/** Memories that a caller may read, newest first. */
export interface ReadablePage {
  /** As many as were asked for, or what is left */
  memories: ListedMemory[];
  /** There are more behind them */
  more: boolean;
  /** Where the page after this memory begins; for the same list alone */
  cursorAfter(memory: ListedMemory): string;
}

/**
 * One page of what is stored in a namespace, or in all that the caller may read. Throws `insufficient_scope`, and
 * `invalid_request` for a cursor of another list.
 */
export async function readablePage(
  context: RelayerContext,
  caller: Caller,
  { namespace, cursor, limit }: MemoriesRequest,
): Promise<ReadablePage> {
  const { account } = caller;
  const accountId = hexToBytes(account.accountId);
  if (namespace !== undefined) requirePermission(caller, 'read', context.tagOf(account.origin, namespace));
  const namespaces = namespace === undefined ? await readableNamespaces(context, caller) : [namespace];
  const { indexKey } = context.secrets;
  const set = { accountId, namespace };
  const position = cursor === undefined ? firstPage : readCursor(indexKey, set, cursor);
  // One more than is answered tells whether there is a next page
  const found = await readMemoryPage(context.db, accountId, namespaces, position, limit + 1);
  return {
    memories: found.slice(0, limit),
    more: found.length > limit,
    cursorAfter: (memory) => makeCursor(indexKey, set, memory.position),
  };
}
