import type { MemoriesRequest, MemoriesResponse, MemoryEntry } from '@memrelay/protocol/memory-lists';
import type { Caller } from '../../accounts/caller.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import { type PageParts, readablePage } from '../reading/readable-page.ts';
import { supersededBy } from '../rows/list-rows.ts';
import type { ListedMemory } from '../rows/page-rows.ts';

/**
 * Returns one page of the memories in the namespaces that the caller may read, newest first, without texts. A memory
 * appears once it is embedded, and is `pending` until its blob is stored. A failed one is a job, not a memory.
 */
export async function listMemories(
  parts: PageParts,
  caller: Caller,
  request: MemoriesRequest,
): Promise<MemoriesResponse> {
  const { memories, more, cursorAfter } = await readablePage(parts, caller, request);
  const superseded = await supersededBy(
    parts.db,
    hexToBytes(caller.account.accountId),
    memories.map(({ id }) => id),
  );
  return {
    memories: memories.map((memory) => memoryEntry(memory, superseded.get(memory.id))),
    ...(more ? { next_cursor: cursorAfter(memories.at(-1)!) } : {}),
  };
}

function memoryEntry(memory: ListedMemory, successor: string | undefined): MemoryEntry {
  const { id, namespace, blobId, createdAt, size, importance, endEpoch, lost, near } = memory;
  return {
    id,
    ...(blobId === undefined ? {} : { blob_id: blobId }),
    namespace,
    created_at: createdAt.toISOString(),
    size,
    importance,
    ...(endEpoch === undefined ? {} : { expires_epoch: endEpoch }),
    ...(blobId === undefined ? { pending: true as const } : {}),
    ...(near === undefined ? {} : { near_duplicate_of: near.id, similarity: near.similarity }),
    ...(successor === undefined ? {} : { superseded_by: successor }),
    ...(lost === undefined ? {} : { lost }),
  };
}
