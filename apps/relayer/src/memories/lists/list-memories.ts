import type { MemoriesRequest, MemoriesResponse, MemoryEntry } from '@memrelay/protocol/memory-lists';
import type { Caller } from '../../accounts/caller.ts';
import { requireDecryptCredential } from '../../accounts/decrypt-credential.ts';
import { requireFreshAccount } from '../../accounts/require-permission.ts';
import type { Hold } from '../../base/concurrency/hold.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { StageTimes } from '../../base/logging/stage-times.ts';
import { type OpenParts, openMemories } from '../reading/open-envelopes.ts';
import { type EnvelopeSources, readEnvelopes } from '../reading/read-envelopes.ts';
import { type PageParts, readablePage } from '../reading/readable-page.ts';
import { sizeOf, withinBytes } from '../recall/ranking.ts';
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

/** Envelopes on one page with texts: a page of larger memories has fewer */
export const listTextBytes = 8 * 1024 * 1024;

export type ListTextsParts = PageParts & EnvelopeSources & OpenParts;

/**
 * Like `listMemories`, with texts and context fields, and with the memories that still wait to be embedded. An entry that
 * cannot be read has an `error` instead. Throws `ApiError`, also for a credential that is missing or refused.
 */
export async function listTexts(
  parts: ListTextsParts,
  caller: Caller,
  request: MemoriesRequest,
  { stages, hold }: { stages: StageTimes; hold: Hold },
): Promise<MemoriesResponse> {
  requireFreshAccount(caller);
  requireDecryptCredential(parts, caller);
  const accountId = hexToBytes(caller.account.accountId);
  const found = await stages.measure('search', () => readablePage(parts, caller, request));
  const page = withinBytes(
    found.memories.map((match) => ({ match })),
    listTextBytes,
  );
  const memories = page.map(({ match }) => match);
  const superseded = await supersededBy(
    parts.db,
    accountId,
    memories.map(({ id }) => id),
  );
  const readable = page.filter(({ match }) => match.lost === undefined);
  await stages.measure('turn', () => hold(sizeOf(readable)));
  const envelopes = await stages.measure('blobs', () =>
    readEnvelopes(
      parts,
      accountId,
      readable.map(({ match }) => match),
    ),
  );
  // Each memory names its namespace. A denied one must not fail the page: the pages after it could not be reached
  const opened = await stages.measure('open', () =>
    openMemories(parts, caller, request.namespace ?? '', readable, envelopes, true),
  );
  const contents = new Map(
    readable.map(({ match }, i): [string, Partial<MemoryEntry>] => {
      const memory = opened[i];
      if (memory) return [match.id, { text: memory.text, ...memory.context }];
      return [match.id, { error: envelopes[i] ? 'unreadable' : 'unavailable' }];
    }),
  );
  const more = found.more || memories.length < found.memories.length;
  return {
    memories: memories.map((memory) => ({
      ...memoryEntry(memory, superseded.get(memory.id)),
      ...(contents.get(memory.id) ?? { error: 'lost' as const }),
    })),
    ...(more ? { next_cursor: found.cursorAfter(memories.at(-1)!) } : {}),
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
