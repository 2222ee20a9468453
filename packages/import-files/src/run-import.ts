import { limits } from '@memrelay/protocol/limits';
import { chunksOf } from '@memrelay/sdk/chunks';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { countStored, followJobs } from './follow-jobs.ts';
import type { FileMemory } from './read-memories.ts';

/** Concurrent bulk calls: enough to keep a relayer busy, few enough that a refusal affects little. */
const callsInFlight = 3;

/** Which parts of an import the relayer has acknowledged. */
export interface RunJournal {
  /** Prefix of the idempotency keys: chunk n is sent under `<run>.<n>` */
  readonly run: string;
  /** Indexes of the memories that this run sends, in order; undefined for all of them */
  readonly only: readonly number[] | undefined;
  /** Job ids of acknowledged chunks */
  readonly acknowledged: ReadonlyMap<number, readonly string[]>;
  /** Records a chunk; durable once it resolves */
  acknowledge(chunk: number, jobIds: readonly string[]): Promise<void>;
  end(failed: readonly number[]): Promise<void>;
}

export interface ImportProgress {
  total: number;
  /** Durably accepted by the relayer */
  accepted: number;
  /** Their blobs are stored and indexed */
  stored: number;
  /** How many of the stored ones had the same text as an existing memory */
  known: number;
  failed: number;
}

export interface FailedMemory {
  /** Index in the list of memories */
  index: number;
  reason: string;
}

export interface RunImport {
  client: MemRelay;
  memories: readonly FileMemory[];
  /** For memories without their own namespace */
  namespace: string;
  /** Memories that name a namespace go there; otherwise all go to `namespace` */
  ownNamespaces?: boolean;
  journal: RunJournal;
  /** Also wait until all are stored */
  wait: boolean;
  signal: AbortSignal;
  onProgress: (progress: ImportProgress) => void;
  /** How long one bulk call took, milliseconds, and how many texts it had */
  onCall?: (ms: number, count: number) => void;
}

/**
 * Sends memories in concurrent bulk calls; the client handles the pauses and retries that the relayer requests. Returns
 * the failed memories and records them in the journal. Rejects when the relayer refuses or is unreachable, or with the
 * signal's reason; a repeated call then continues from the journal.
 */
export async function runImport(options: RunImport): Promise<FailedMemory[]> {
  const { client, memories, namespace, journal, signal } = options;
  const indexes = journal.only ?? memories.map((_, index) => index);
  const chunks = chunksOf(indexes, limits.bulkItems);
  const progress: ImportProgress = { total: indexes.length, accepted: 0, stored: 0, known: 0, failed: 0 };
  const failed: FailedMemory[] = [];
  const indexOfJob = new Map<string, number>();

  // A failed call aborts the others. The journal has recorded how far each got.
  const stopping = new AbortController();
  const either = AbortSignal.any([signal, stopping.signal]);
  const follower = followJobs(
    client,
    (job) => {
      if (!countStored(progress, job)) {
        progress.failed++;
        const reason = job.error ?? 'The relayer does not know this job any more.';
        failed.push({ index: indexOfJob.get(job.jobId)!, reason });
      }
      options.onProgress({ ...progress });
    },
    either,
  );
  const accept = (chunk: readonly number[], jobIds: readonly string[]): void => {
    for (const [i, id] of jobIds.entries()) indexOfJob.set(id, chunk[i]!);
    progress.accepted += chunk.length;
    options.onProgress({ ...progress });
    if (options.wait) follower.add(jobIds);
  };
  const waiting = chunks.entries();
  const sendInTurn = async (): Promise<void> => {
    for (const [number, chunk] of waiting) {
      either.throwIfAborted();
      const known = journal.acknowledged.get(number);
      if (known) {
        accept(chunk, known);
        continue;
      }
      const items = chunk.map((index) => ({
        ...memories[index]!.context,
        text: memories[index]!.text,
        namespace: options.ownNamespaces ? (memories[index]!.namespace ?? namespace) : namespace,
      }));
      const started = performance.now();
      const idempotencyKey = `${journal.run}.${number}`;
      const { jobIds } = await client.rememberBulk(items, { idempotencyKey, signal: either });
      options.onCall?.(performance.now() - started, chunk.length);
      await journal.acknowledge(number, jobIds);
      accept(chunk, jobIds);
    }
  };
  try {
    const senders = Array.from({ length: callsInFlight }, sendInTurn);
    await Promise.race([Promise.all(senders), follower.finished.then(() => Promise.all(senders))]);
    follower.noMore();
    await follower.finished;
  } catch (error) {
    stopping.abort(error);
    throw error;
  }
  failed.sort((a, b) => a.index - b.index);
  if (options.wait) await journal.end(failed.map(({ index }) => index));
  return failed;
}
