import type { Logger } from 'pino';
import type { Db } from '../db/db.ts';
import type { AccountVectors } from '../embedding/account-vectors.ts';
import { embeddingChunks } from '../embedding/chunks.ts';
import { type Embedder, EmbeddingError } from '../embedding/embedder.ts';
import { vectorKeyId } from '../embedding/vector-map.ts';
import type { Outbox } from '../memories/outbox.ts';
import { retryDelayMs } from './backoff.ts';
import type { ClaimedJob } from './claim-jobs.ts';
import { saveEmbedded, saveFailed, saveRetry } from './save-progress.ts';

export type EmbedJobs = (jobs: readonly ClaimedJob[]) => Promise<void>;

interface EmbedStage {
  db: Db;
  embedder: Embedder;
  outbox: Outbox;
  vectors: AccountVectors;
  log: Logger;
}

/** Embeds a batch of jobs with one call to the provider; each job's result is saved by itself. */
export function createEmbedStage(stage: EmbedStage): EmbedJobs {
  async function embedBatch(jobs: readonly ClaimedJob[]): Promise<void> {
    const chunks = jobs.map((job) => embeddingChunks(stage.outbox.open(job)));
    let vectors: Float32Array[];
    try {
      vectors = await stage.embedder.embed(chunks.flat());
    } catch (error) {
      await handleFailure(jobs, error);
      return;
    }
    let next = 0;
    const own = chunks.map(({ length }) => {
      next += length;
      return vectors.slice(next - length, next);
    });
    await Promise.all(jobs.map((job, i) => save(job, own[i]!)));
  }

  async function save(job: ClaimedJob, vectors: readonly Float32Array[]): Promise<void> {
    const map = stage.vectors.mapOf(job.accountId);
    const chunks = vectors.map((vector, no) => ({ no, vector: map.apply(vector) }));
    await saveEmbedded(stage.db, job, { model: stage.embedder.model, keyId: vectorKeyId }, chunks).catch(
      (error) => stage.log.warn({ err: error, job_id: job.id }, 'an embedding could not be saved'),
    );
  }

  async function handleFailure(jobs: readonly ClaimedJob[], error: unknown): Promise<void> {
    const rejected = error instanceof EmbeddingError && error.kind === 'rejected';
    // One text that the provider refuses must not fail its neighbours: each is tried alone
    if (rejected && jobs.length > 1) {
      for (const job of jobs) await embedBatch([job]);
      return;
    }
    stage.log.warn({ err: error, jobs: jobs.length, rejected }, 'embedding failed');
    for (const job of jobs) {
      if (rejected)
        await saveFailed(stage.db, job, {
          code: 'embedding_rejected',
          message: 'The embedding provider refused the text.',
        });
      else
        await saveRetry(
          stage.db,
          job,
          {
            code: 'embedding_unavailable',
            message: 'The embedding provider did not answer; the attempt is repeated.',
          },
          retryDelayMs(job.attempts),
        );
    }
  }
  return embedBatch;
}
