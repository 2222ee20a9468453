import type { MemoriesRequest, MemoriesResponse, MemoryEntry } from '@memrelay/protocol/memory-lists';
import type { Caller } from '../auth/caller.ts';
import { requirePermission } from '../auth/require-permission.ts';
import type { RelayerContext } from '../context.ts';
import { hexToBytes } from '../db/hex.ts';
import { makeCursor, readCursor } from './list-cursor.ts';
import { firstPage, type ListedMemory, readMemoryPage } from './memory-pages.ts';
import { readableNamespaces } from './scope-namespaces.ts';

/**
 * One page of what is stored in the namespaces that the caller may read, newest first, without texts. A memory is
 * there from when it is embedded; until its blob is stored it is `pending`. One that failed is a job, not a memory.
 */
export async function listMemories(
  context: RelayerContext,
  caller: Caller,
  { namespace, cursor, limit }: MemoriesRequest,
): Promise<MemoriesResponse> {
  const { account } = caller;
  const accountId = hexToBytes(account.accountId);
  if (namespace !== undefined) requirePermission(caller, 'read', context.tagOf(account.origin, namespace));
  const namespaces = namespace === undefined ? await readableNamespaces(context, caller) : [namespace];
  const { indexKey } = context.secrets;
  const set = { accountId, namespace };
  const position = cursor === undefined ? firstPage : readCursor(indexKey, set, cursor);
  // One more than is answered tells whether there is a next page
  const found = await readMemoryPage(context.db, accountId, namespaces, position, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    memories: page.map(memoryEntry),
    ...(last ? { next_cursor: makeCursor(indexKey, set, last.position) } : {}),
  };
}

function memoryEntry(memory: ListedMemory): MemoryEntry {
  const { id, namespace, blobId, createdAt, size, importance, endEpoch, lost } = memory;
  return {
    id,
    ...(blobId === undefined ? {} : { blob_id: blobId }),
    namespace,
    created_at: createdAt.toISOString(),
    size,
    importance,
    ...(endEpoch === undefined ? {} : { expires_epoch: endEpoch }),
    ...(blobId === undefined ? { pending: true as const } : {}),
    ...(lost === undefined ? {} : { lost }),
  };
}
