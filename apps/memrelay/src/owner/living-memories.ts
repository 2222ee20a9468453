import { MemRelayError } from '@memrelay/sdk/errors';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import type { MemoryEntry } from '@memrelay/sdk/types';
import type { Output } from '../terminal/output.ts';
import type { ConnectedOwner } from './connect-owner.ts';

/** Number of memories in each blob, by blob id (43 characters). A memory is a whole blob or a patch of a quilt. */
export type LivingMemories = ReadonlyMap<string, number>;

/** The memories in each blob and the blob of each memory id, or why they cannot be determined. */
export type Living = { memories: LivingMemories; blobOf: ReadonlyMap<string, string> } | { unknown: string };

/**
 * The account's memories in each blob. This takes a key that may read all namespaces: any other key would miss the
 * memories that it cannot see.
 */
export async function livingMemories(
  output: Output,
  { credentials, serverUrl }: ConnectedOwner,
): Promise<Living> {
  if (credentials === undefined) return { unknown: 'there are no credentials of a delegate key to ask with' };
  const client = MemRelay.fromCredentials(credentials, { serverUrl });
  output.step('Reading which memories are in them');
  try {
    const { scope } = (await client.account()).delegate;
    if (!scope.perms.includes('read') || !scope.allNamespaces || scope.minEpoch > 0)
      return { unknown: 'the delegate key may not read everything' };
    const entries: MemoryEntry[] = [];
    for await (const entry of client.memories({ allNamespaces: true, limit: 100 })) entries.push(entry);
    return { memories: countByBlob(entries), blobOf: blobById(entries) };
  } catch (error) {
    if (!(error instanceof MemRelayError)) throw error;
    return { unknown: `the relayer did not list them (${error.code})` };
  } finally {
    client.destroy();
    output.done();
  }
}

export function countByBlob(entries: readonly Pick<MemoryEntry, 'blobId' | 'lost'>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { blobId, lost } of entries) {
    if (blobId === undefined || lost !== undefined) continue;
    const blob = wholeBlob(blobId);
    counts.set(blob, (counts.get(blob) ?? 0) + 1);
  }
  return counts;
}

function blobById(entries: readonly MemoryEntry[]): Map<string, string> {
  return new Map(entries.flatMap(({ id, blobId }) => (blobId ? [[id, wholeBlob(blobId)] as const] : [])));
}

/** The id of the blob that a patch of a quilt is in, or of the blob itself. */
function wholeBlob(blobId: string): string {
  return Buffer.from(blobId, 'base64url').subarray(0, 32).toString('base64url');
}

/**
 * The memories that are lost if these objects of the wallet are deleted: those in blobs without any other object. A
 * blob that was paid for twice stays readable through its other object.
 */
export function lostWith<Blob extends { objectId: string; blobId: string }>(
  chosen: readonly Blob[],
  all: readonly Blob[],
  living: LivingMemories,
): { blobId: string; memories: number }[] {
  const going = new Set(chosen.map(({ objectId }) => objectId));
  const staying = new Set(all.filter(({ objectId }) => !going.has(objectId)).map(({ blobId }) => blobId));
  return [...new Set(chosen.map(({ blobId }) => blobId))].flatMap((blobId) => {
    const memories = staying.has(blobId) ? 0 : (living.get(blobId) ?? 0);
    return memories > 0 ? [{ blobId, memories }] : [];
  });
}
