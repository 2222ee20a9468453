import type { MemoryVersion, SingleMemory } from '@memrelay/protocol/single-memory';
import type { Caller } from '../../accounts/caller.ts';
import { requireDecryptCredential } from '../../accounts/decrypt-credential.ts';
import { requireFreshAccount } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { OpenParts } from '../reading/open-envelopes.ts';
import type { EnvelopeSources } from '../reading/read-envelopes.ts';
import { readMemories } from '../reading/read-texts.ts';
import type { ScopeParts } from '../reading/scope-namespaces.ts';
import type { RecallRun } from '../recall/recall.ts';
import { type NamedMemory, readVersions, type VersionRow } from '../rows/version-rows.ts';
import { findMemory } from './find-memory.ts';

/** Envelopes of the history that are read, in addition to the memory's own; the nearest versions come first */
const historyBytes = 1024 * 1024;

export type ReadMemoryParts = ScopeParts & EnvelopeSources & OpenParts;

/**
 * Returns one memory with its text, and the versions before and after it (decisions.md, `GET /api/memories/:id`). A text
 * that cannot be read is left out. Throws `memory_not_found`, and `ApiError` for a credential that is missing or refused.
 */
export async function readMemory(
  parts: ReadMemoryParts,
  caller: Caller,
  { id, namespace }: { id: string; namespace: string | undefined },
  { stages, hold }: Pick<RecallRun, 'stages' | 'hold'>,
): Promise<SingleMemory> {
  requireFreshAccount(caller);
  requireDecryptCredential(parts, caller);
  const memory = await findMemory(parts, caller, id, namespace, ['read']);
  const accountId = hexToBytes(caller.account.accountId);
  const [earlier, later] = await stages.measure('search', () =>
    Promise.all([
      readVersions(parts.db, accountId, memory, 'earlier'),
      readVersions(parts.db, accountId, memory, 'later'),
    ]),
  );
  const readable = [memory, ...nearestWithin([earlier, later], historyBytes)].filter(
    ({ state }) => state !== 'lost',
  );
  const contents = await readMemories(parts, caller, memory.namespace, readable, { stages, hold });
  const texts = new Map(readable.map((version, i) => [version.id, contents[i]]));
  const versionOf = (version: VersionRow): MemoryVersion => ({
    id: version.id,
    created_at: version.createdAt.toISOString(),
    ...textOf(texts.get(version.id)?.text),
  });
  const opened = texts.get(memory.id);
  return {
    ...fieldsOf(memory),
    ...textOf(opened?.text),
    ...opened?.context,
    ...(opened ? { sealed_to: opened.sealedTo } : {}),
    history: { earlier: earlier.map(versionOf), later: later.map(versionOf) },
  };
}

function fieldsOf(memory: NamedMemory): Omit<SingleMemory, 'history'> {
  const {
    id,
    namespace,
    state,
    lost,
    createdAt,
    blobId,
    objectId,
    endEpoch,
    size,
    importance,
    supersededBy,
  } = memory;
  return {
    id,
    namespace,
    state,
    ...(lost ? { lost } : {}),
    created_at: createdAt.toISOString(),
    ...(blobId ? { blob_id: blobId } : {}),
    ...(objectId ? { object_id: objectId } : {}),
    ...(endEpoch === undefined ? {} : { expires_epoch: endEpoch }),
    size,
    importance,
    ...(supersededBy ? { superseded_by: supersededBy } : {}),
  };
}

const textOf = (text: string | undefined): { text?: string } => (text === undefined ? {} : { text });

/** The first of each list in turn, as long as they are at most this many bytes together. */
export function nearestWithin<Version extends { size: number }>(
  lists: readonly (readonly Version[])[],
  bytes: number,
): Version[] {
  const chosen: Version[] = [];
  let left = bytes;
  const longest = Math.max(...lists.map(({ length }) => length));
  for (let i = 0; i < longest; i++)
    for (const list of lists) {
      const version = list[i];
      if (version === undefined) continue;
      left -= version.size;
      if (left < 0) return chosen;
      chosen.push(version);
    }
  return chosen;
}
