import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertJobs, type NewJob } from '../../src/jobs/rows/accept-jobs.ts';
import { type ClaimedJob, claimJobs } from '../../src/jobs/rows/claim-jobs.ts';
import { saveCheckpoint, saveRetry } from '../../src/jobs/rows/save-progress.ts';
import { withCompanions } from '../../src/jobs/upload/pack-quilt.ts';
import { patchName, worthPacking } from '../../src/jobs/upload/quilt-bounds.ts';
import { databases, type TestDb } from '../support/databases.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../../../packages/envelope/vectors/envelope-v1.json', import.meta.url), 'utf8'),
);
const sample = Buffer.from(vectors.envelopes[0].envelope, 'hex');
const bounds = { maxItems: 20, nShards: 31 };

interface Differences {
  accountId?: Buffer;
  namespace?: string;
  owner?: string;
  keyEpoch?: number;
  /** Of the envelope */
  kind?: 1 | 2;
  envelope?: Buffer;
  envelopeId?: Buffer | undefined;
}

describe.each(databases)('quilts on $name', ({ create }) => {
  let database: TestDb;
  let account: Buffer;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.db.query('DELETE FROM memory_job');
    account = randomBytes(32);
  });

  async function accept(count: number, differences: Differences = {}): Promise<string[]> {
    const { keyEpoch = 0, kind = 1, ...fields } = differences;
    const jobs = Array.from({ length: count }, (): NewJob => {
      const envelope = Buffer.from(sample);
      envelope[6] = kind;
      envelope.writeBigUInt64LE(BigInt(keyEpoch), 64);
      return {
        id: randomUUID(),
        accountId: account,
        owner: `0x${'ab'.repeat(32)}`,
        namespace: 'default',
        delegatePk: randomBytes(32),
        outbox: undefined,
        envelope,
        envelopeId: randomBytes(16),
        envelopeSha256: randomBytes(32),
        importance: 0.5,
        kind,
        ...fields,
      };
    });
    await database.db.transaction((tx) => insertJobs(tx, jobs, 'uploading'));
    return jobs.map(({ id }) => id);
  }

  async function claim(limits = bounds): Promise<ClaimedJob[]> {
    const [job] = await claimJobs(database.db, 'uploading', 1, randomUUID());
    return job ? withCompanions(database.db, job, limits) : [];
  }
  const idsOf = (jobs: readonly ClaimedJob[]): string[] => jobs.map(({ id }) => id).sort();
  /** Releases the jobs of a dead process */
  const die = () => database.db.query("UPDATE memory_job SET lease_until = now() - interval '1 second'");

  test('pack waiting jobs of the same account, namespace, epoch and owner, up to a limit', async () => {
    const ids = await accept(25);
    const first = await claim();
    expect(first).toHaveLength(20);
    expect(new Set(first.map(({ quiltId }) => quiltId)).size).toBe(1);
    expect(new Set(first.map(({ leaseToken }) => leaseToken)).size).toBe(1);
    expect(first.map(({ uploadClaims }) => uploadClaims)).toEqual(new Array(20).fill(1));
    const second = await claim();
    expect([...idsOf(first), ...idsOf(second)].sort()).toEqual(ids.sort());
    expect(second[0]!.quiltId).not.toBe(first[0]!.quiltId);
    expect(await claim()).toEqual([]);
  });

  test.each<[string, Differences]>([
    ['account', { accountId: randomBytes(32) }],
    ['namespace', { namespace: 'another' }],
    ['owner', { owner: `0x${'cd'.repeat(32)}` }],
    ['key epoch', { keyEpoch: 1 }],
    ['kind', { kind: 2 }],
    ['form', { envelope: randomBytes(1_500), envelopeId: undefined }],
  ])('are never mixed with another %s', async (_what, other) => {
    await accept(3);
    await accept(3, other);
    const groups = [];
    for (let jobs = await claim(); jobs.length > 0; jobs = await claim()) groups.push(jobs);
    const sizes = groups.map((jobs) => jobs.length).sort();
    const isPacked = other.kind !== 2 && !other.envelope;
    expect(sizes).toEqual(isPacked ? [3, 3] : [1, 1, 1, 3]);
  });

  test('contain the same bytes only once: the second copy is uploaded separately', async () => {
    const envelopeId = randomBytes(16);
    await accept(3);
    await accept(2, { envelopeId });
    expect([await claim(), await claim()].map((jobs) => jobs.length)).toEqual([4, 1]);
    await accept(2, { envelopeId });
    expect([await claim(), await claim()].map((jobs) => jobs.length)).toEqual([1, 1]);
  });

  test('need at least two memories, and a limit above 1', async () => {
    await accept(1);
    expect(await claim()).toMatchObject([{ quiltId: undefined }]);
    await accept(2);
    expect(await claim({ ...bounds, maxItems: 1 })).toMatchObject([{ quiltId: undefined }]);
  });

  test('do not include a memory whose upload was started alone', async () => {
    const [id] = await accept(1);
    await claim();
    await accept(4);
    await die();
    const groups = [await claim(), await claim()];
    expect(groups.map((jobs) => jobs.length).sort()).toEqual([1, 4]);
    expect(idsOf(groups.find((jobs) => jobs.length === 1)!)).toEqual([id]);
  });

  test('resume with the same memories and checkpoint, whatever else is waiting', async () => {
    await accept(5);
    const before = await claim();
    await saveCheckpoint(database.db, before, { wallet: '0x1', reached: 'registered' }, 'uploading');
    await die();
    await accept(5);
    const groups = [await claim(), await claim()];
    const after = groups.find((jobs) => jobs[0]!.quiltId === before[0]!.quiltId)!;
    expect(idsOf(after)).toEqual(idsOf(before));
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    for (const job of after)
      expect(job).toMatchObject({ uploadClaims: 2, checkpoint: { wallet: '0x1', reached: 'registered' } });
  });

  test('go to one of two workers that claim parts of the same quilt', async () => {
    await accept(6);
    await claim();
    await die();
    const tokens = [randomUUID(), randomUUID()];
    const met = [];
    for (const token of tokens) met.push((await claimJobs(database.db, 'uploading', 1, token))[0]!);
    const got = await Promise.all(met.map((job) => withCompanions(database.db, job, bounds)));
    expect(got.map((jobs) => jobs.length).sort()).toEqual([0, 6]);
    expect(new Set(got.flat().map(({ leaseToken }) => leaseToken)).size).toBe(1);
    expect(await claim()).toEqual([]);
  });

  test('are retried together, with the reason in each job', async () => {
    await accept(3);
    const jobs = await claim();
    await saveRetry(database.db, jobs, 'upload_unavailable', 0);
    expect(await claim()).toMatchObject(new Array(3).fill({ attempts: 1, quiltId: jobs[0]!.quiltId }));
  });
});

const items = (...sizes: number[]) => sizes.map((size, no) => ({ no, size }));

test('uploads a large memory separately if it would make the quilt many times larger', () => {
  const mixed = items(...new Array<number>(19).fill(1_600), 500_000);
  expect(worthPacking(mixed, bounds).map(({ no }) => no)).toEqual(mixed.slice(0, 19).map(({ no }) => no));
  // With 1000 shards even a small blob has a high minimum price, so the large one is included
  expect(worthPacking(mixed, { maxItems: 666, nShards: 1000 })).toHaveLength(20);
  expect(worthPacking(items(1_600, 1_600), bounds)).toHaveLength(2);
});

test('limits a quilt to 8 MiB', () => {
  const large = worthPacking(items(...new Array<number>(20).fill(1_500_000)), bounds);
  expect(large.length).toBeGreaterThan(2);
  expect(large.length).toBeLessThan(6);
  const many = worthPacking(items(...new Array<number>(666).fill(20_000)), { maxItems: 666, nShards: 1000 });
  expect(many.length).toBeGreaterThan(300);
  expect(many.length).toBeLessThan(420);
});

test('always includes the claimed memory if not all fit', () => {
  const bounds = { maxItems: 666, nShards: 1000 };
  for (const size of [20_000, 120_000]) {
    const sizes = Array.from({ length: 700 }, (_, i) => size + ((i * 7_919) % (size / 4)));
    const largestFirst = items(...sizes.toSorted((a, b) => b - a));
    const packed = worthPacking(largestFirst, bounds);
    expect(packed.map(({ no }) => no)).toContain(0);
    expect(packed.length * size).toBeGreaterThan(5 * 1024 * 1024);
  }
});

test('names a patch by tag and envelope id', () => {
  const hex = sample.toString('hex');
  expect(patchName(sample)).toBe(`${hex.slice(96, 128)}.${hex.slice(144, 176)}`);
  expect(patchName(sample)).toMatch(/^[0-9a-f]{32}\.[0-9a-f]{32}$/);
});
