import { createHash, randomBytes } from 'node:crypto';
import { noQuestion } from '@memrelay/text-index/question';
import { describe, expect, test } from 'vitest';
import { blobOf } from '../../src/blobs/blob-of.ts';
import { dueForCheck, timeIsOver } from '../../src/jobs/rows/watched-memories.ts';
import { readEnvelopes } from '../../src/memories/reading/read-envelopes.ts';
import { amongNearest, countLostMatches } from '../../src/memories/recall/lost-matches.ts';
import { countLost, readNamespaceTotals } from '../../src/memories/rows/list-rows.ts';
import { firstPage, readMemoryPage } from '../../src/memories/rows/page-rows.ts';
import { checkBlobs, nextCheckInMs } from '../../src/upkeep/missing/check-blobs.ts';
import { blobWorld, hour, lost, sound, suspected } from '../support/blob-world.ts';
import { databases } from '../support/databases.ts';
import { model, newId, type StoredMemory } from '../support/stored-memories.ts';

test('checks a missing blob after an hour, then less and less often, and when its grace period ends', () => {
  expect(nextCheckInMs(0, 24 * hour)).toBe(hour);
  expect(nextCheckInMs(6 * hour, 24 * hour)).toBe(3 * hour);
  expect(nextCheckInMs(20 * hour, 24 * hour)).toBe(4 * hour);
  expect(nextCheckInMs(300 * hour, 24 * hour)).toBe(24 * hour);
  expect(nextCheckInMs(0, 10_000)).toBe(10_000);
  expect(nextCheckInMs(0, 0)).toBe(1_000);
});

test('derives the blob of a patch from the start of its id', () => {
  const blob = randomBytes(32);
  const patch = Buffer.concat([blob, Buffer.from([1, 0, 1, 0, 2])]).toString('base64url');
  expect(patch).toHaveLength(50);
  expect(blobOf(patch)).toBe(blob.toString('base64url'));
  expect(blobOf(blob.toString('base64url'))).toBe(blob.toString('base64url'));
});

test('counts lost memories only if they would be among the nearest', () => {
  expect(amongNearest([0.1, 0.3], [], 5)).toBe(0);
  expect(amongNearest([0.1, 0.3], [0.9], 5)).toBe(1);
  expect(amongNearest([0.1, 0.3, 0.4], [0.2, 0.35, 0.5], 3)).toBe(1);
  expect(amongNearest([0.1, 0.2], [0.3], 2)).toBe(0);
  expect(amongNearest([], [0.1, 0.2, 0.3], 2)).toBe(2);
});

describe.each(databases)('a missing blob, on $name', ({ create }) => {
  const world = blobWorld(create);

  test('is suspected only if a recall gets "missing" from every aggregator', async () => {
    const memory = await world.store();
    for (const [first, second] of [
      [404, 503],
      [500, 404],
      [429, 429],
      [new Map([[memory.blobId, randomBytes(10)]]), 404],
    ] as const) {
      world.holds[0] = first;
      world.holds[1] = second;
      await world.recalled(memory);
      expect(await world.stateOf(memory)).toEqual(sound);
    }
    world.holds[0] = world.holds[1] = 404;
    await world.recalled(memory);
    expect(await world.stateOf(memory)).toEqual(suspected);
  });

  test('is read even if it was uploaded after its memory was found', async () => {
    const memory = await world.store();
    world.serve(memory);
    const match = {
      id: memory.id,
      blobId: undefined,
      envelopeSha256: createHash('sha256').update(memory.envelope).digest(),
      createdAt: new Date(),
    };
    const { db, blobCache, aggregators } = world.options();
    expect(await readEnvelopes({ db, blobCache, aggregators }, memory.accountId, [match])).toEqual([
      memory.envelope,
    ]);
  });

  test('is marked lost after the grace period if the chain has no live object; its row stays, and its text may be stored again', async () => {
    const memory = await world.store();
    const alive = await world.store({ accountId: memory.accountId, vector: [0, 1, 0, 0, 0, 0, 0, 0] });
    await world.recalled(memory);
    expect(await world.look()).toMatchObject({ suspected: 1, lost: 0 });
    await world.pass(23 * hour);
    expect(await world.look()).toMatchObject({ suspected: 1, lost: 0 });
    expect(await world.stateOf(memory)).toEqual(suspected);
    await world.pass(hour);
    expect(await world.look()).toMatchObject({ suspected: 1, lost: 1 });
    expect(await world.stateOf(memory)).toEqual(lost('missing'));
    expect(world.logged.join()).toContain(memory.id);

    const { db } = world;
    expect((await world.nearest(memory.accountId)).map(({ id }) => id)).toEqual([alive.id]);
    const listed = await readMemoryPage(db, memory.accountId, 'all', firstPage, 10);
    expect(listed.find(({ id }) => id === memory.id)).toMatchObject({
      blobId: memory.blobId,
      lost: 'missing',
      createdAt: expect.any(Date),
      endEpoch: 60,
    });
    expect(listed.find(({ id }) => id === alive.id)!.lost).toBeUndefined();
    expect(await countLost(db, memory.accountId, ['default', 'other'])).toEqual({ missing: 1 });
    expect(await countLost(db, memory.accountId, ['other'])).toBeUndefined();
    expect(await readNamespaceTotals(db, memory.accountId, 'all')).toMatchObject([{ memoryCount: 2 }]);
    const asked = (vector: number[], more: object = {}) =>
      countLostMatches(
        {
          db,
          embedder: { model, minScore: -1 },
          vectors: { mapOf: () => ({ apply: (mapped: Float32Array) => mapped }) },
        } as never,
        memory.accountId,
        { namespace: 'default', limit: 1, ...more },
        { vector: Float32Array.from(vector), question: noQuestion },
        [{ distance: 0.5 }],
      );
    // Reported only to recalls that would have returned it
    expect(await asked([1, 0, 0, 0, 0, 0, 0, 0])).toBe(1);
    expect(await asked([0, 1, 0, 0, 0, 0, 0, 0])).toBe(0);
    expect(await asked([0, 1, 0, 0, 0, 0, 0, 0], { limit: 2 })).toBe(1);
    expect(await asked([0, 1, 0, 0, 0, 0, 0, 0], { limit: 2, min_score: 0.5 })).toBe(0);
    expect(await asked([1, 0, 0, 0, 0, 0, 0, 0], { namespace: 'other' })).toBe(0);
  });

  test('with one aggregator, the chain gives the second opinion', async () => {
    const [gone, living] = [await world.store(), await world.store()];
    world.chain.put(living, 60);
    const aggregators = world.single;
    await checkBlobs(
      world.options({ aggregators }),
      (await Promise.all([gone, living].map(world.watched))).flat(),
      world.chain.epoch,
    );
    await world.pass(25 * hour);
    expect(await world.look({ aggregators })).toMatchObject({ lost: 1, livesOnChain: 1 });
    expect(await world.stateOf(gone)).toEqual({ ...lost('missing'), aggregators: 1 });
    expect(await world.stateOf(living)).toEqual({ ...sound, aggregators: 1 });
  });

  test.each([
    ['its own object lives', (memory: StoredMemory) => world.chain.put(memory, 11)],
    [
      'its owner holds another one',
      (memory: StoredMemory) => world.chain.put({ ...memory, objectId: newId() }, 11),
    ],
    [
      'the chain is away',
      () => {
        world.chain.away = true;
      },
    ],
    [
      'its owner cannot be asked',
      () => {
        world.chain.accounts.account = async () => undefined as never;
      },
    ],
    ['a renewal of it is under way', (memory: StoredMemory) => world.queueRenewal(memory)],
  ])('is not marked lost while %s', async (_what, prepare) => {
    const memory = await world.store();
    await world.recalled(memory);
    await world.pass(100 * hour);
    await prepare(memory);
    await world.look().catch((error: Error) => expect(error.message).toBe('the chain is away'));
    expect(await world.stateOf(memory)).toMatchObject({ state: 'done', aggregators: 2, vectors: 1 });
  });

  test.each([
    ['ended before this epoch', 10, true],
    ['was never certified', 60, false],
  ] as const)('is marked lost although it has an object that %s', async (_what, endEpoch, certified) => {
    const memory = await world.store();
    world.chain.put(memory, endEpoch, certified);
    await world.bury(memory);
    expect(await world.stateOf(memory)).toEqual(lost('missing'));
  });

  test('ignores failing aggregators, even after the grace period', async () => {
    const memory = await world.store();
    await world.recalled(memory);
    await world.pass(100 * hour);
    world.holds[1] = 503;
    expect(await world.look()).toMatchObject({ suspected: 0, lost: 0 });
    expect(await world.stateOf(memory)).toEqual(suspected);
    // And it is not checked again immediately
    expect(await dueForCheck(world.db, 'done', 10)).toEqual([]);
  });

  test('clears the suspicion after one successful read, and a new one starts from zero', async () => {
    const memory = await world.store();
    await world.recalled(memory);
    await world.pass(23 * hour);
    world.serve(memory, [1]);
    await world.look();
    expect(await world.stateOf(memory)).toEqual(sound);
    world.holds[1] = new Map();
    await world.recalled(memory);
    await world.pass(2 * hour);
    expect(await world.look()).toMatchObject({ suspected: 1, lost: 0 });
  });

  test('is marked lost as expired after its last epoch, with one chain query for many blobs', async () => {
    const accountId = randomBytes(32);
    const memories = [];
    for (let i = 0; i < 20; i++) memories.push(await world.store({ accountId, endEpoch: 10 }));
    expect(await world.look()).toMatchObject({ suspected: 20, lost: 0 });
    // The objects, and everything else that the owner has
    expect(world.chain.asked).toBe(2);
    expect(await timeIsOver(world.db, world.chain.epoch, 100)).toEqual([]);
    await world.pass(24 * hour);
    expect(await world.look()).toMatchObject({ suspected: 20, lost: 20 });
    for (const memory of memories) expect(await world.stateOf(memory)).toEqual(lost('expired'));
    expect(await countLost(world.db, accountId, ['default'])).toEqual({ expired: 20 });
  });
});
