import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import { insertJobs } from '../../src/jobs/rows/accept-jobs.ts';
import { claimJobs } from '../../src/jobs/rows/claim-jobs.ts';
import { deleteMemories } from '../../src/jobs/rows/forget-rows.ts';
import { type EmbeddedJob, saveEmbedded, statementsOf } from '../../src/jobs/rows/save-embedded.ts';
import { databases } from '../support/databases.ts';
import { indexerWith } from '../support/index-parts.ts';
import { textJob } from '../support/text-job.ts';

/** With this number of chunks; the rest does not matter here. */
const embedded = (pieces: number) => ({ data: { chunks: Array(pieces).fill(undefined) } }) as EmbeddedJob;
const sizes = (...pieces: number[]): number[][] =>
  statementsOf(pieces.map(embedded)).map((group) => group.map(({ data }) => data.chunks.length));

describe('batches of embedded jobs', () => {
  test('are saved together while they have few vectors', () => {
    expect(sizes()).toEqual([]);
    expect(sizes(1, 1, 1)).toEqual([[1, 1, 1]]);
    expect(sizes(100, 156)).toEqual([[100, 156]]);
  });

  test('are saved in order, each job once, and a long text separately', () => {
    expect(sizes(100, 157, 1)).toEqual([[100], [157, 1]]);
    expect(sizes(1, 500, 1, 300, 2)).toEqual([[1], [500], [1], [300], [2]]);
  });
});

/** Returns which of two jobs is locked first, while another transaction has locked the one with the lower id. */
async function firstLocked(
  db: Db,
  [low, high]: readonly string[],
  work: () => Promise<unknown>,
): Promise<'low' | 'high'> {
  let working: Promise<unknown> | undefined;
  const first = await db.transaction(async (tx) => {
    await tx.query('SELECT 1 FROM memory_job WHERE id = $1 FOR UPDATE', [low!]);
    working = work();
    const waits =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await vi.waitUntil(async () => (await db.query(waits)).rows[0]);
    const free = 'SELECT 1 FROM memory_job WHERE id = $1 FOR UPDATE SKIP LOCKED';
    return (await tx.query(free, [high!])).rows[0] ? 'low' : 'high';
  });
  await working;
  return first;
}

// Only with several connections
for (const { create } of databases.filter(({ name }) => name === 'postgres'))
  test('locks saved and forgotten jobs in the same order, without deadlocks', async () => {
    const { db, drop } = await create();
    try {
      const accountId = randomBytes(32);
      /** The higher id first: in the table and in the request */
      const twoJobs = async (): Promise<string[]> => {
        const jobs = [textJob(accountId, 'one'), textJob(accountId, 'two')];
        jobs.sort((a, b) => (a.id < b.id ? 1 : -1));
        await insertJobs(db, jobs, 'queued');
        return jobs.map(({ id }) => id);
      };
      const forgotten = await twoJobs();
      const namespace = { accountId, namespace: 'default', tag: randomBytes(16) };
      const forget = () => db.transaction((tx) => deleteMemories(tx, namespace, forgotten));
      expect(await firstLocked(db, forgotten.toReversed(), forget)).toBe('low');

      const saved = await twoJobs();
      const claimed = await claimJobs(db, 'embedding', 2, randomUUID());
      const text = { accountId, tag: namespace.tag, text: 'tea' };
      const [data] = await indexerWith().indexTexts([text]);
      const embedded = saved.map((id) => ({ job: claimed.find((job) => job.id === id)!, data: data! }));
      expect(await firstLocked(db, saved.toReversed(), () => saveEmbedded(db, embedded))).toBe('low');
    } finally {
      await drop();
    }
  });
