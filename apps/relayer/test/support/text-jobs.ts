import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import type { BlobReads } from '../../src/blobs/read-stored.ts';
import type { Embedder } from '../../src/index/embedding/embedder.ts';
import { createEmbedStage } from '../../src/jobs/embed/embed-stage.ts';
import { insertJobs, type NewJob } from '../../src/jobs/rows/accept-jobs.ts';
import { type ClaimedJob, claimJobs } from '../../src/jobs/rows/claim-jobs.ts';
import { wakeDuplicates } from '../../src/jobs/rows/duplicate-rows.ts';
import { textHash } from '../../src/jobs/rows/known-texts.ts';
import { readJobs } from '../../src/jobs/rows/read-jobs.ts';
import { saveFailed } from '../../src/jobs/rows/save-progress.ts';
import { saveUploaded } from '../../src/jobs/rows/save-stored.ts';
import { indexerWith, lexical } from './index-parts.ts';
import { noBlobs, outbox, textJob } from './text-job.ts';

const silent = pino({ enabled: false });
const secret = randomBytes(32);
const tag = Buffer.alloc(16, 1);

/** Text jobs of one account, which tests take through the pipeline's stages step by step. */
export function textJobs(db: () => Db) {
  const accountId = randomBytes(32);
  const hashOf = (text: string) => textHash(secret, accountId, tag, text);

  const newJob = (text: string, importance = 0.5): NewJob =>
    textJob(accountId, text, { importance, textHash: hashOf(text) });
  async function accept(...jobs: NewJob[]): Promise<NewJob[]> {
    await insertJobs(db(), jobs, 'queued');
    return jobs;
  }

  const embedded: string[] = [];
  /** Embeds everything that is due; returns how many texts were sent to the provider. */
  async function embedDue(embedder: Embedder = lexical, aggregators: BlobReads = noBlobs): Promise<number> {
    const before = embedded.length;
    const watched: Embedder = {
      ...embedder,
      embed(texts, accounts) {
        embedded.push(...texts);
        return embedder.embed(texts, accounts);
      },
    };
    const claimed = await claimJobs(db(), 'embedding', 32, randomUUID());
    const indexer = indexerWith(watched);
    await createEmbedStage({ db: db(), indexer, outbox, aggregators, log: silent })(claimed);
    return embedded.length - before;
  }
  const claimUploads = () => claimJobs(db(), 'uploading', 32, randomUUID());
  /** The next due upload, as its worker gets it. */
  async function nextUpload(): Promise<ClaimedJob> {
    const claimed = await claimUploads();
    expect(claimed.length).toBe(1);
    return claimed[0]!;
  }
  async function upload(job: ClaimedJob): Promise<string> {
    const blobId = randomBytes(32).toString('base64url');
    await saveUploaded(db(), job, { blobId, objectId: '0x1', endEpoch: 9 });
    await wakeDuplicates(db(), [job]);
    return blobId;
  }
  async function fail(job: ClaimedJob): Promise<void> {
    await saveFailed(db(), job, 'upload_exhausted');
    await wakeDuplicates(db(), [job]);
  }
  const recordOf = async ({ id }: { id: string }) => (await readJobs(db(), accountId, [id])).get(id)!;
  async function rowOf({ id }: { id: string }) {
    const { rows } = await db().query<{ duplicate: boolean; outbox: unknown; envelope: unknown }>(
      'SELECT duplicate, outbox, envelope FROM memory_job WHERE id = $1',
      [id],
    );
    return rows[0]!;
  }
  /** Memories with the number of their vectors. */
  async function memories() {
    const { rows } = await db().query<{
      id: string;
      state: string;
      vectors: number;
      importance: number;
    }>(
      `SELECT id, state, importance, (SELECT count(*)::int FROM memory_vector WHERE memory_id = memory.id) AS vectors
       FROM memory ORDER BY created_at`,
    );
    return rows;
  }
  /** A text that was stored, and its blob. */
  async function stored(text: string): Promise<{ job: NewJob; blobId: string }> {
    const [job] = await accept(newJob(text));
    await embedDue();
    return { job: job!, blobId: await upload(await nextUpload()) };
  }

  async function clear(): Promise<void> {
    for (const table of ['memory_job', 'memory', 'memory_vector', 'known_text'])
      await db().query(`DELETE FROM ${table}`);
  }
  /** Queries that wait for a lock: on Postgres only */
  async function waitingForLocks(): Promise<number> {
    const { rows } = await db().query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows[0]!.count;
  }

  return {
    accountId,
    hashOf,
    newJob,
    accept,
    embedDue,
    claimUploads,
    nextUpload,
    upload,
    fail,
    recordOf,
    rowOf,
    memories,
    stored,
    clear,
    waitingForLocks,
  };
}
