import { tagBytes } from '@memrelay/envelope/header';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import type { Db } from '../../base/db/db.ts';
import { type BlobReads, readStored } from '../../blobs/read-stored.ts';
import { EmbeddingError } from '../../index/embedding/embedder.ts';
import type { IndexData, TextIndexer, TextToIndex } from '../../index/index-data.ts';
import { retryDelayMs } from '../queue/backoff.ts';
import type { Outbox } from '../queue/outbox.ts';
import { settleDuplicate } from '../queue/settle-duplicate.ts';
import type { ClaimedJob } from '../rows/claim-jobs.ts';
import { readOlderKeeper } from '../rows/duplicate-rows.ts';
import { readImportedVectors } from '../rows/imported-vectors.ts';
import type { NearDuplicate } from '../rows/near-duplicate-rows.ts';
import { saveRefreshed } from '../rows/refresh-memory.ts';
import { type EmbeddedJob, saveEmbedded, statementsOf } from '../rows/save-embedded.ts';
import { LeaseLostError, saveFailed, saveRetry } from '../rows/save-progress.ts';
import { nearDuplicates } from './near-duplicates.ts';

export type EmbedJobs = (jobs: readonly ClaimedJob[]) => Promise<void>;

interface EmbedStage {
  db: Db;
  indexer: TextIndexer;
  outbox: Outbox;
  aggregators: BlobReads;
  log: Logger;
}

/** Duplicates checked concurrently. Each may read a blob, which takes seconds when an aggregator is slow. */
const duplicatesAtOnce = 4;

/** A job to embed. `refreshes`: the other memory that gets the vectors, if any (settle-duplicate.ts). */
interface Task {
  job: ClaimedJob;
  refreshes: string | undefined;
}

interface Readable {
  task: Task;
  of: TextToIndex;
}

/**
 * Embeds a batch of jobs with one call to the provider, and its duplicates with a second one. Jobs whose text is already
 * stored end without being embedded.
 */
export function createEmbedStage(stage: EmbedStage): EmbedJobs {
  async function embedJobs(claimed: readonly ClaimedJob[]): Promise<void> {
    const limit = pLimit(duplicatesAtOnce);
    const duplicates = claimed.filter((job) => job.duplicate);
    const others = claimed.filter((job) => !job.duplicate);
    await Promise.all([
      embedBatch(others.map((job) => ({ job, refreshes: undefined }))),
      Promise.all(duplicates.map((job) => limit(() => taskOf(job)))).then((tasks) =>
        embedBatch(tasks.filter((task) => task !== undefined)),
      ),
    ]);
  }

  /** Settles a duplicate. Returns a task if it still has to be embedded. */
  async function taskOf(job: ClaimedJob): Promise<Task | undefined> {
    try {
      const readable = await readableKeeper(stage.db, stage.aggregators, job);
      const settlement = await settleDuplicate(stage.db, job, { model: stage.indexer.model, readable });
      if (settlement.is === 'own') return { job, refreshes: undefined };
      if (settlement.is === 'refresh') return { job, refreshes: settlement.memoryId };
    } catch (error) {
      await tryLater(job, error);
    }
    return undefined;
  }

  async function embedBatch(tasks: readonly Task[]): Promise<void> {
    const jobs = tasks.map(({ job }) => job);
    const imported = await readImportedVectors(stage.db, jobs, stage.indexer);
    const readable: Readable[] = [];
    for (const task of tasks) {
      const { job } = task;
      try {
        const text = stage.outbox.open(job);
        readable.push({
          task,
          of: { accountId: job.accountId, tag: tagBytes(job.envelope), text, imported: imported.get(job.id) },
        });
      } catch (error) {
        await tryLater(job, error);
      }
    }
    // Imported texts already have vectors, so they do not wait for the provider
    await Promise.all([
      indexBatch(readable.filter(({ of }) => of.imported)),
      indexBatch(readable.filter(({ of }) => !of.imported)),
    ]);
  }

  async function indexBatch(readable: readonly Readable[]): Promise<void> {
    if (readable.length === 0) return;
    let indexed: IndexData[];
    try {
      indexed = await stage.indexer.indexTexts(readable.map(({ of }) => of));
    } catch (error) {
      await handleFailure(
        readable.map(({ task }) => task),
        error,
      );
      return;
    }
    const near = await nearOf(readable, indexed);
    const fresh: EmbeddedJob[] = [];
    const refreshed: Promise<void>[] = [];
    for (const [i, { task }] of readable.entries()) {
      const { job, refreshes } = task;
      const data = indexed[i]!;
      if (refreshes)
        refreshed.push(
          saveRefreshed(stage.db, job, refreshes, data).catch((error: unknown) => tryLater(job, error)),
        );
      else fresh.push({ job, data, near: near.get(job.id) });
    }
    await Promise.all([...refreshed, ...statementsOf(fresh).map(save)]);
  }

  /**
   * Searches only for jobs with a text hash, whose key may read the namespace. A failed search must not delay the memory.
   */
  async function nearOf(
    readable: readonly Readable[],
    indexed: readonly IndexData[],
  ): Promise<Map<string, NearDuplicate>> {
    const texts = readable.flatMap(({ task: { job, refreshes } }, i) =>
      job.textHash && !refreshes ? [{ ...job, data: indexed[i]! }] : [],
    );
    const { model, nearDuplicate } = stage.indexer;
    return nearDuplicates(stage.db, model, nearDuplicate, texts).catch((err: unknown) => {
      stage.log.warn({ err }, 'memories were stored without a search for near-duplicates');
      return new Map<string, NearDuplicate>();
    });
  }

  /** Saves a batch, or one by one if the database rejects it: a job that cannot be saved must not block the others. */
  async function save(embedded: readonly EmbeddedJob[]): Promise<void> {
    try {
      const saved = await saveEmbedded(stage.db, embedded);
      for (const { job } of embedded) if (!saved.has(job.id)) await tryLater(job, new LeaseLostError(job.id));
    } catch (error) {
      if (embedded.length === 1) await tryLater(embedded[0]!.job, error);
      else for (const each of embedded) await save([each]);
    }
  }

  /** Handles unexpected errors: the job is retried later, so that it is not lost and does not block others. */
  async function tryLater(job: ClaimedJob, error: unknown): Promise<void> {
    if (error instanceof LeaseLostError) {
      stage.log.info(
        { job_id: job.id },
        'a memory was forgotten while it was embedded, or another worker has its job',
      );
      return;
    }
    stage.log.error({ err: error, job_id: job.id }, 'a memory could not be embedded; it will be retried');
    await saveRetry(stage.db, job, 'internal_error', retryDelayMs(job.attempts));
  }

  async function handleFailure(tasks: readonly Task[], error: unknown): Promise<void> {
    const rejected = error instanceof EmbeddingError && error.kind === 'rejected';
    // One rejected text must not fail the rest of the batch, so each text is tried alone
    if (rejected && tasks.length > 1) {
      for (const task of tasks) await embedBatch([task]);
      return;
    }
    stage.log.warn({ err: error, jobs: tasks.length, rejected }, 'embedding failed');
    for (const { job } of tasks) {
      if (rejected) await saveFailed(stage.db, job, 'embedding_rejected');
      else await saveRetry(stage.db, job, 'embedding_unavailable', retryDelayMs(job.attempts));
    }
  }
  return embedJobs;
}

/**
 * The memory that keeps the text of a duplicate, if its blob can be read now: blobs expire, and owners may delete them.
 * Undefined when there is no such memory or its blob cannot be read.
 */
async function readableKeeper(db: Db, blobs: BlobReads, job: ClaimedJob): Promise<string | undefined> {
  const { accountId, textHash, duplicate } = job;
  if (!duplicate || !textHash) return undefined;
  const kept = await readOlderKeeper(db, accountId, textHash);
  return kept && (await readStored(blobs, kept)) ? kept.id : undefined;
}
