import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { JobOutcome, RememberOptions } from '@memrelay/sdk/types';

export interface ChosenFact {
  text: string;
  /** The memory that it replaces */
  replaces: string | undefined;
}

/**
 * Stores facts, each as a memory, and waits until all are stored. `idempotencyKey`: calls with the same key, facts and
 * options store nothing twice. Returns the outcomes in the order of the facts. Rejects with `MemRelayError`.
 */
export async function saveFacts(
  client: MemRelay,
  facts: readonly ChosenFact[],
  options: RememberOptions,
  {
    idempotencyKey,
    signal,
    onProgress,
  }: {
    idempotencyKey: string;
    signal: AbortSignal;
    onProgress: (ended: number) => void;
  },
): Promise<JobOutcome[]> {
  const added = facts.filter(({ replaces }) => replaces === undefined);
  const bulk =
    added.length === 0
      ? []
      : (
          await client.rememberBulk(
            added.map(({ text }) => ({ ...options, text })),
            { idempotencyKey, signal },
          )
        ).jobIds;
  const jobIds: string[] = [];
  for (const [i, { text, replaces }] of facts.entries())
    jobIds.push(
      replaces === undefined
        ? bulk.shift()!
        : (
            await client.replace(replaces, text, {
              ...options,
              idempotencyKey: `${idempotencyKey}.r${i}`,
              signal,
            })
          ).jobId,
    );
  return client.waitForJobs(jobIds, {
    signal,
    onProgress: (jobs) => onProgress(jobs.filter(({ status }) => status !== 'running').length),
  });
}
