import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { TaskLoop } from '../../src/base/concurrency/task-loop.ts';
import { claimJobs } from '../../src/jobs/rows/claim-jobs.ts';
import { deleteMemories } from '../../src/jobs/rows/forget-rows.ts';
import { pruneJobs } from '../../src/jobs/rows/prune-jobs.ts';
import { saveFailed } from '../../src/jobs/rows/save-progress.ts';
import { saveUploaded } from '../../src/jobs/rows/save-stored.ts';
import { timeIsOver } from '../../src/jobs/rows/watched-memories.ts';
import { startBlobChecks } from '../../src/upkeep/missing/start-blob-checks.ts';
import { startRenewals } from '../../src/upkeep/renewals/start-renewals.ts';
import { expiringMemories, insertRenewal } from '../../src/upkeep/rows/renewal-rows.ts';
import { blobWorld, hour, lost, sound, suspected } from '../support/blob-world.ts';
import { databases } from '../support/databases.ts';
import { newId, type StoredMemory } from '../support/stored-memories.ts';
import { textJobs } from '../support/text-jobs.ts';

describe.each(databases)('stored memories, on $name', ({ create }) => {
  const world = blobWorld(create);

  test('a blob that its owner extended counts as paid for, and its new expiry epoch is saved', async () => {
    const memory = await world.store({ endEpoch: 10 });
    world.serve(memory);
    world.chain.put(memory, 30);
    await world.look();
    expect(await world.stateOf(memory)).toEqual(sound);
    const { rows } = await world.db.query('SELECT end_epoch FROM memory');
    expect(rows).toEqual([{ end_epoch: 30 }]);
    expect(await timeIsOver(world.db, world.chain.epoch, 10)).toEqual([]);
  });

  test('a blob that is still served after it expired is stored again, and not checked constantly', async () => {
    const memory = await world.store({ endEpoch: 9 });
    world.serve(memory);
    expect(await world.look()).toMatchObject({ suspected: 0, storedAgain: 1 });
    const { rows } = await world.db.query<{ checkpoint: object; envelope: Buffer }>(
      'SELECT checkpoint, envelope FROM memory_job',
    );
    expect(rows).toEqual([
      { checkpoint: { renews: memory.id, min_end_epoch: 11 }, envelope: expect.anything() },
    ]);
    expect(Buffer.from(rows[0]!.envelope)).toEqual(memory.envelope);
    expect(await world.stateOf(memory)).toMatchObject({ state: 'done', aggregators: 0 });
    expect(await timeIsOver(world.db, world.chain.epoch, 10)).toEqual([]);
    // When it finally disappears, its grace period starts then
    await world.pass(25 * hour);
    world.holds[0] = world.holds[1] = new Map();
    await world.db.query('DELETE FROM memory_job');
    expect(await world.look()).toMatchObject({ suspected: 1, lost: 0 });
  });

  test('is stored again from the cache, unless renewals are off', async () => {
    const memory = await world.store({ endEpoch: 10 });
    await world.cache.set(memory.blobId, memory.envelope);
    await world.recalled({ ...memory, envelope: randomBytes(3) });
    await world.pass(100 * hour);
    expect(await world.look()).toMatchObject({ suspected: 1, lost: 0, storedAgain: 1 });
    await world.pass(100 * hour);
    expect(await world.look()).toMatchObject({ lost: 0, storedAgain: 0 });
    expect((await world.db.query('SELECT id FROM memory_job')).rows).toHaveLength(1);
    await world.db.query('DELETE FROM memory_job');
    await world.pass(100 * hour);
    expect(await world.look({ storesAgain: false })).toMatchObject({ lost: 1, storedAgain: 0 });
    // Other bytes under its id do not count
    await world.cache.set(memory.blobId, randomBytes(20));
    await world.pass(100 * hour);
    expect(await world.look()).toMatchObject({ storedAgain: 0 });
  });

  test('that its owner has deleted is not stored again, even if it is cached', async () => {
    const memory = await world.store({ endEpoch: 60 });
    await world.cache.set(memory.blobId, memory.envelope);
    await world.watched(memory);
    await world.pass(100 * hour);
    expect(await world.look()).toMatchObject({ lost: 1, storedAgain: 0 });
  });

  test('is recovered with its vectors when it can be read again', async () => {
    const memory = await world.store();
    await world.bury(memory);
    expect(await world.nearest(memory.accountId)).toEqual([]);
    world.serve(memory);
    expect(await world.look()).toMatchObject({ found: 0 });
    await world.pass(25 * hour);
    expect(await world.look()).toMatchObject({ found: 1 });
    expect(await world.stateOf(memory)).toEqual(sound);
    expect(await world.nearest(memory.accountId)).toMatchObject([{ id: memory.id, distance: 0 }]);
  });

  test('can be forgotten completely', async () => {
    const memory = await world.store();
    await world.bury(memory);
    const namespace = { accountId: memory.accountId, namespace: 'default', tag: Buffer.alloc(16, 1) };
    const removed = await world.db.transaction((tx) => deleteMemories(tx, namespace, [memory.id]));
    expect(removed).toMatchObject([{ id: memory.id, blobId: memory.blobId, objectId: memory.objectId }]);
    for (const table of ['memory', 'memory_vector', 'lost_vector', 'unreadable_memory'])
      expect((await world.db.query(`SELECT 1 FROM ${table}`)).rows, table).toEqual([]);
  });

  test('rounds check a limited number, continue where they stopped, and run in one relayer', async () => {
    const memories = [];
    for (let i = 0; i < 7; i++) memories.push(await world.store());
    for (const memory of memories.slice(1)) world.serve(memory, [0]);
    const asked = () => world.servers[0]!.asked.splice(0);
    asked();
    const due = () => world.db.query("UPDATE shared_task SET due_at = now() WHERE name = 'look for blobs'");
    const position = async () =>
      (
        await world.db.query<{ position: string }>(
          "SELECT position FROM shared_task WHERE name = 'look for blobs'",
        )
      ).rows[0]?.position ?? '';
    const options = { ...world.options(), perHour: 36, wakeUpload: () => undefined };
    const relayers = [await startBlobChecks(options), await startBlobChecks(options)];
    const seen: string[] = [];
    // Three in a round
    for (const count of [3, 6, 7]) {
      await expect
        .poll(async () => {
          await due();
          for (const relayer of relayers) relayer.wake();
          seen.push(...asked());
          return new Set(seen).size;
        })
        .toBeGreaterThanOrEqual(count);
      expect(new Set(seen).size).toBe(seen.length);
    }
    await expect.poll(position).toMatch(/^ended \d+$/);
    await Promise.all(relayers.map((relayer) => relayer.stop()));
    expect(new Set(seen.map((path) => path.split('/').at(-1)))).toEqual(
      new Set(memories.map(({ blobId }) => blobId)),
    );
    expect(await world.stateOf(memories[0]!)).toEqual(suspected);
    for (const memory of memories.slice(1)) expect(await world.stateOf(memory)).toEqual(sound);
  });

  test('is checked as soon as its bytes are stored again, and recovered with its vectors', async () => {
    const memory = await world.store();
    await world.bury(memory);
    expect(await insertRenewal(world.db, { ...memory, endEpoch: 60 }, newId(), memory.envelope)).toBe(true);
    const [job] = await claimJobs(world.db, 'uploading', 1, randomUUID());
    await saveUploaded(world.db, job!, { blobId: memory.blobId, objectId: newId(), endEpoch: 90 });
    // Not before it was read
    expect(await world.stateOf(memory)).toEqual(lost('missing'));
    world.serve(memory);
    expect(await world.look()).toMatchObject({ found: 1 });
    expect(await world.stateOf(memory)).toEqual(sound);
  });

  test('a lost memory does not prevent storing its text again', async () => {
    const texts = textJobs(() => world.db);
    const { job } = await texts.stored('a text whose blob goes');
    await world.db.query("UPDATE memory SET state = 'lost', lost_reason = 'missing' WHERE id = $1", [job.id]);
    const [again] = await texts.accept(texts.newJob('a text whose blob goes'));
    await texts.embedDue();
    const blobId = await texts.upload(await texts.nextUpload());
    expect(await texts.recordOf(again!)).toMatchObject({ status: 'done', blob_id: blobId });
    expect(await texts.recordOf(again!)).not.toHaveProperty('deduplicated');
    const states = (await texts.memories()).map(({ id, state }) => [id, state]);
    expect(new Map(states as [string, string][])).toEqual(
      new Map([
        [job.id, 'lost'],
        [again!.id, 'done'],
      ]),
    );
  });

  describe('a renewal', () => {
    const running: TaskLoop[] = [];
    afterEach(async () => {
      await Promise.all(running.splice(0).map((task) => task.stop()));
    });
    /** One round with four epochs left. */
    /** One round that has something to upload, or logs the line that `sign` waits for. */
    async function renew(perHour = 100, sign?: () => boolean): Promise<void> {
      const ended = Promise.withResolvers<void>();
      const task = await startRenewals({
        ...world.options(),
        maxItems: 20,
        epochsLeft: 4,
        perHour,
        wakeUpload: ended.resolve,
      });
      running.push(task);
      await (sign ? vi.waitUntil(sign, { timeout: 20_000 }) : ended.promise);
      await task.stop();
    }
    async function renewed(): Promise<unknown[]> {
      const { rows } = await world.db.query<{ id: string }>(
        "SELECT checkpoint ->> 'renews' AS id FROM memory_job WHERE status = 'running'",
      );
      return rows.map(({ id }) => id);
    }
    async function endOf({ id }: StoredMemory): Promise<unknown> {
      const { rows } = await world.db.query<{ end_epoch: number }>(
        'SELECT end_epoch FROM memory WHERE id = $1',
        [id],
      );
      return rows[0]!.end_epoch;
    }

    test('skips blobs that the owner extended, and saves their new expiry with one chain query', async () => {
      const memories: StoredMemory[] = [];
      for (let i = 0; i < 30; i++) memories.push(await world.store({ endEpoch: 12 }));
      const [longer, little, gone, ...others] = memories;
      for (const memory of others) world.chain.put(memory, 12);
      world.chain.put(longer!, 40);
      world.chain.put(little!, 13);
      for (const memory of memories) world.serve(memory);
      await renew();
      expect(world.chain.asked).toBe(1);
      expect(new Set(await renewed())).toEqual(new Set([little!, gone!, ...others].map(({ id }) => id)));
      expect(await endOf(longer!)).toBe(40);
      // Extended, but not for long: the renewal has to go beyond that
      expect(await endOf(little!)).toBe(13);
      const { rows } = await world.db.query(
        "SELECT (checkpoint ->> 'min_end_epoch')::int AS min FROM memory_job WHERE checkpoint ->> 'renews' = $1",
        [little!.id],
      );
      expect(rows).toEqual([{ min: 14 }]);
    });

    test('pays for nothing while the chain is unreachable', async () => {
      const memory = await world.store({ endEpoch: 12 });
      world.serve(memory);
      const asked = Promise.withResolvers<void>();
      const sidecar = {
        storeEpoch: async () => 10,
        storeObjects: () => {
          asked.resolve();
          return Promise.reject(new Error('the chain is away'));
        },
      };
      const task = await startRenewals({
        ...world.options({ sidecar }),
        epochsLeft: 4,
        maxItems: 20,
        perHour: 100,
        wakeUpload: () => undefined,
      });
      running.push(task);
      await asked.promise;
      await task.stop();
      expect(await renewed()).toEqual([]);
      expect(world.logged.join()).toContain('renewal of memories failed');
    });

    test('reads from the cache when no aggregator has the blob; without it, marks the blob as suspected', async () => {
      const [cached, gone] = [await world.store({ endEpoch: 12 }), await world.store({ endEpoch: 12 })];
      const deleted = await world.store({ endEpoch: 12 });
      for (const memory of [cached, deleted]) await world.cache.set(memory.blobId, memory.envelope);
      for (const memory of [cached, gone]) world.chain.put(memory, 12);
      await renew();
      // Not if its owner has deleted it
      expect(await renewed()).toEqual([cached.id]);
      for (const memory of [gone, deleted]) expect(await world.stateOf(memory)).toEqual(suspected);
    });

    test('unreadable memories do not use up the limit of readable ones', async () => {
      for (let i = 0; i < 3; i++) await world.watched(await world.store({ endEpoch: 11 }));
      const readable = await world.store({ endEpoch: 12 });
      world.serve(readable);
      await renew(2);
      expect(await renewed()).toEqual([readable.id]);
      const due = await expiringMemories(world.db, 10, 14, 100);
      expect(due).toHaveLength(3);
    });

    test('renews rewraps as often as needed, and keeps their jobs for it', async () => {
      const [id, envelope] = [randomUUID(), randomBytes(600)];
      const objectId = newId();
      await world.db.query(
        `INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, kind, stage, envelope, envelope_sha256)
         VALUES ($1, $2, $3, 'default', ''::bytea, 3, 'uploading', $4, $5)`,
        [id, randomBytes(32), newId(), envelope, createHash('sha256').update(envelope).digest()],
      );
      const blobId = randomBytes(32).toString('base64url');
      const [first] = await claimJobs(world.db, 'uploading', 1, randomUUID());
      await saveUploaded(world.db, first!, { blobId, objectId, endEpoch: 12 });
      await world.db.query("UPDATE memory_job SET updated_at = now() - interval '30 days'");
      await pruneJobs(world.db, 7);
      // It cannot be read: it stays, and is retried
      await renew(100, () => world.logged.join().includes(id));
      expect(await claimJobs(world.db, 'uploading', 1, randomUUID())).toEqual([]);
      for (const holder of world.holds) (holder as Map<string, Buffer>).set(blobId, envelope);
      await renew();
      const [second] = await claimJobs(world.db, 'uploading', 1, randomUUID());
      expect(second).toMatchObject({ id, uploadClaims: 2, checkpoint: { min_end_epoch: 13, wallet: null } });
      expect(Buffer.from(second!.envelope)).toEqual(envelope);
      await saveUploaded(world.db, second!, { blobId, objectId: newId(), endEpoch: 14 });
      await renew();
      const [third] = await claimJobs(world.db, 'uploading', 1, randomUUID());
      expect(third).toMatchObject({ id, uploadClaims: 3, checkpoint: { min_end_epoch: 15 } });
    });

    test('a failed renewal resumes from its checkpoint, with the wallet that may have paid', async () => {
      const memory = await world.store({ endEpoch: 12 });
      const again = (endEpoch: number) =>
        insertRenewal(world.db, { ...memory, endEpoch }, newId(), memory.envelope);
      expect(await again(12)).toBe(true);
      expect(await again(12)).toBe(false);
      const [job] = await claimJobs(world.db, 'uploading', 1, randomUUID());
      await world.db.query(
        `UPDATE memory_job SET checkpoint = checkpoint || '{"wallet": "0xpaid"}' WHERE id = $1`,
        [job!.id],
      );
      await saveFailed(world.db, job!, 'upload_exhausted');
      expect(await again(13)).toBe(true);
      const { rows } = await world.db.query('SELECT id, status, attempts, checkpoint FROM memory_job');
      expect(rows).toEqual([
        {
          id: job!.id,
          status: 'running',
          attempts: 0,
          checkpoint: { renews: memory.id, min_end_epoch: 14, wallet: '0xpaid' },
        },
      ]);
      expect(await again(13)).toBe(false);
    });
  });
});
