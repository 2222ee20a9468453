import { countStored, followJobs } from '@memrelay/import-files/follow-jobs';
import { type ImportProgress, type RunJournal, runImport } from '@memrelay/import-files/run-import';
import type { Source } from '@memrelay/import-files/source';
import { toHex } from '@memrelay/protocol/bytes';
import { defaultNamespace } from '@memrelay/protocol/limits';
import { importBundle } from '@memrelay/sdk/bundle/import-bundle';
import type { Bundle } from '@memrelay/sdk/bundle/open-bundle';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Failure } from '../parts/result-note.tsx';

export interface Imported extends Omit<ImportProgress, 'failed'> {
  /** Memories of a bundle that no trusted key signed: not stored */
  unverified: number;
  failures: Failure[];
}

export interface ImportRun {
  client: MemRelay;
  signal: AbortSignal;
  onProgress: (progress: Pick<Imported, 'total' | 'accepted' | 'stored'>) => void;
  /** Shown when the relayer no longer knows a job */
  lostJob: string;
}

/**
 * Stores the memories of a file. `namespace`: where memories without one go; with `own`, the others go to the namespaces that
 * the file names. An import that was stopped continues when the same file is imported to the same place again.
 */
export async function runFileImport(
  { client, signal, onProgress, lostJob }: ImportRun,
  { file, identity }: Source,
  { namespace, own }: { namespace: string; own: boolean },
): Promise<Imported> {
  let last: ImportProgress = { total: file.memories.length, accepted: 0, stored: 0, known: 0, failed: 0 };
  const journal = await journalOf([client.accountId, own ? '' : namespace, identity]);
  const failed = await runImport({
    client,
    memories: file.memories,
    namespace: namespace || defaultNamespace,
    ownNamespaces: own,
    journal,
    wait: true,
    signal,
    onProgress(progress) {
      last = progress;
      onProgress(progress);
    },
  });
  const failures = failed.map(({ index, reason }) => ({
    name: file.memories[index]!.place,
    reason: reason || lostJob,
  }));
  return { ...last, unverified: 0, failures };
}

/**
 * Remembers the idempotency keys of an unfinished import in this browser, under a hash of what goes where. Chunks that the
 * relayer has accepted are sent again under the same keys within 24 hours, and later found by their texts: neither stores
 * anything twice.
 */
async function journalOf(parts: readonly string[]): Promise<RunJournal> {
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  const name = `memrelay.import.${toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))}`;
  const run = localStorage.getItem(name) ?? `import-${crypto.randomUUID()}`;
  localStorage.setItem(name, run);
  return {
    run,
    only: undefined,
    acknowledged: new Map(),
    acknowledge: async () => undefined,
    end: async () => localStorage.removeItem(name),
  };
}

/** Stores the memories of a bundle in their namespaces. Repeating it stores nothing twice. */
export async function runBundleImport(
  { client, signal, onProgress, lostJob }: ImportRun,
  bundle: Bundle,
): Promise<Imported> {
  const outcome: Imported = {
    total: bundle.memories,
    accepted: 0,
    stored: 0,
    known: 0,
    unverified: 0,
    failures: [],
  };
  const memoryOfJob = new Map<string, string>();
  const stopping = new AbortController();
  const either = AbortSignal.any([signal, stopping.signal]);
  const follower = followJobs(
    client,
    (job) => {
      if (!countStored(outcome, job))
        outcome.failures.push({
          name: memoryOfJob.get(job.jobId) ?? job.jobId,
          reason: job.error ?? lostJob,
        });
      onProgress({ ...outcome });
    },
    either,
  );
  try {
    for await (const { memories } of importBundle(client, bundle, { signal })) {
      for (const { id, result } of memories)
        if (result.status === 'running') {
          outcome.accepted++;
          memoryOfJob.set(result.jobId, id);
          follower.add([result.jobId]);
        } else if (result.status === 'known') {
          outcome.accepted++;
          outcome.stored++;
          outcome.known++;
        } else if (result.status === 'unverified') outcome.unverified++;
        else outcome.failures.push({ name: id, reason: result.reason });
      onProgress({ ...outcome });
    }
    follower.noMore();
    await follower.finished;
  } catch (error) {
    stopping.abort(error);
    throw error;
  }
  return outcome;
}
