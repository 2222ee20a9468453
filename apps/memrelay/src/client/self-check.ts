import { randomUUID } from 'node:crypto';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Stats } from '@memrelay/sdk/types';

/** Namespace for the temporary memory of a check, separate from the person's memories. */
const checkNamespace = 'memrelay-self-check';

export interface Options {
  signal?: AbortSignal;
}

/** Result of a check of the whole path. */
export type Checked = 'found' | 'not_found';

/**
 * Stores a memory, recalls it and forgets it: accept, seal, upload, recall, decrypt. Afterwards the namespace is empty,
 * so it no longer exists. Throws the SDK's errors.
 */
export async function storeAndRecall(client: MemRelay, { signal }: Options = {}): Promise<Checked> {
  const namespace = checkNamespace;
  const text = `The self-check ${randomUUID()} stores this sentence, recalls it and forgets it.`;
  try {
    await client.rememberAndWait(text, { namespace, timeoutMs: 30_000, signal });
    const { results } = await client.recall(text, { namespace, limit: 1, signal });
    return results[0]?.text === text ? 'found' : 'not_found';
  } finally {
    // Also removes what an interrupted check or an earlier version left
    await client.forget({ namespace }).catch(() => undefined);
  }
}

/**
 * Recalls one of the person's memories, which reads its blob and contacts the key servers. Returns undefined if there
 * is nothing to read. Throws the SDK's errors.
 */
export async function recallAny(
  client: MemRelay,
  { namespaces }: Pick<Stats, 'namespaces'>,
  { signal }: Options = {},
): Promise<'read' | 'unreadable' | undefined> {
  const filled = namespaces.filter((each) => each.namespace !== checkNamespace && each.memoryCount > 0);
  const newest = filled.toSorted((a, b) => b.newest.localeCompare(a.newest))[0];
  // Similarities go down to -1: every memory matches
  const { results, droppedCount } = await client.recall('What is known?', {
    namespace: newest?.namespace ?? checkNamespace,
    limit: 1,
    minScore: newest ? -1 : undefined,
    signal,
  });
  if (results.length > 0) return 'read';
  return newest && droppedCount ? 'unreadable' : undefined;
}

/** Forgets memories that earlier versions left in the namespace of the self-check. */
export async function forgetChecks(
  client: MemRelay,
  { namespaces }: Pick<Stats, 'namespaces'>,
  { signal }: Options = {},
): Promise<void> {
  if (namespaces.some(({ namespace }) => namespace === checkNamespace))
    await client.forget({ namespace: checkNamespace, signal });
}
