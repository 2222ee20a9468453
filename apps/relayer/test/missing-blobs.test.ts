import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AggregatorReader, createAggregatorReader } from '../src/blobs/aggregator-reads.ts';
import { type BlobCache, createMemoryBlobCache } from '../src/blobs/blob-cache.ts';
import { blobOf } from '../src/blobs/blob-of.ts';
import { deleteMemories } from '../src/memories/forget-rows.ts';
import { amongNearest, countLostMatches } from '../src/memories/lost-matches.ts';
import { firstPage, readMemoryPage } from '../src/memories/memory-pages.ts';
import { countLost, readNamespaceTotals } from '../src/memories/namespace-totals.ts';
import { readEnvelopes } from '../src/memories/read-envelopes.ts';
import { searchMemories } from '../src/memories/search.ts';
import { type LookResult, lookAtBlobs } from '../src/missing/look-at-blobs.ts';
import { nextLookInMs } from '../src/missing/next-look.ts';
import { startBlobChecks } from '../src/missing/start-blob-checks.ts';
import { dueForLook, timeIsOver } from '../src/missing/watched-memories.ts';
import { databases, type TestDb } from './support/databases.ts';
import { startServer, type TestServer } from './support/http-server.ts';
import { ChainOfObjects, model, newId, type StoredMemory, storeMemory } from './support/stored-memories.ts';

const hour = 3_600_000;

test('a blob that nobody has is looked for after an hour, then less and less often, and when its grace ends', () => {
  expect(nextLookInMs(0, 24 * hour)).toBe(hour);
  expect(nextLookInMs(6 * hour, 24 * hour)).toBe(3 * hour);
  expect(nextLookInMs(20 * hour, 24 * hour)).toBe(4 * hour);
  expect(nextLookInMs(300 * hour, 24 * hour)).toBe(24 * hour);
  expect(nextLookInMs(0, 10_000)).toBe(10_000);
  expect(nextLookInMs(0, 0)).toBe(1_000);
});

test('a patch is stored in the blob whose id stands in front of its own', () => {
  const blob = randomBytes(32);
  const patch = Buffer.concat([blob, Buffer.from([1, 0, 1, 0, 2])]).toString('base64url');
  expect(patch).toHaveLength(50);
  expect(blobOf(patch)).toBe(blob.toString('base64url'));
  expect(blobOf(blob.toString('base64url'))).toBe(blob.toString('base64url'));
});

test('lost ones count as far as they would stand among the nearest', () => {
  expect(amongNearest([0.1, 0.3], [], 5)).toBe(0);
  expect(amongNearest([0.1, 0.3], [0.9], 5)).toBe(1);
  expect(amongNearest([0.1, 0.3, 0.4], [0.2, 0.35, 0.5], 3)).toBe(1);
  expect(amongNearest([0.1, 0.2], [0.3], 2)).toBe(0);
  expect(amongNearest([], [0.1, 0.2, 0.3], 2)).toBe(2);
});

describe.each(databases)('a blob that is gone, on $name', ({ create }) => {
  let database: TestDb;
  let chain: ChainOfObjects;
  let cache: BlobCache;
  let servers: TestServer[];
  let both: AggregatorReader;
  let single: AggregatorReader;
  /** What each of the two aggregators has, or the status it answers to everything */
  const holds: (Map<string, Buffer> | number)[] = [new Map(), new Map()];
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });

  beforeAll(async () => {
    database = await create();
    servers = await Promise.all(
      [0, 1].map((i) =>
        startServer((request, response) => {
          const held = holds[i]!;
          const bytes = typeof held === 'number' ? undefined : held.get(request.url!.split('/').at(-1)!);
          if (bytes) response.end(bytes);
          else response.writeHead(typeof held === 'number' ? held : 404).end();
        }),
      ),
    );
    const options = {
      raceAfterMs: 60_000,
      skipConsistencyCheck: false,
      maxBytes: 10_000,
      log,
      retryDelaysMs: [],
    };
    both = createAggregatorReader({ ...options, urls: servers.map(({ url }) => url) });
    single = createAggregatorReader({ ...options, urls: [servers[0]!.url] });
  });
  afterAll(async () => {
    await Promise.all([both?.close(), single?.close()]);
    await Promise.all((servers ?? []).map((server) => server.close()));
    await database?.drop();
  });
  beforeEach(async () => {
    chain = new ChainOfObjects();
    cache = createMemoryBlobCache({ ttlSeconds: 60, maxBlobBytes: 10_000 });
    holds[0] = new Map();
    holds[1] = new Map();
    logged.length = 0;
    await database.db.query('DELETE FROM memory_job');
    await database.db.query('DELETE FROM memory_vector');
    await database.db.query('DELETE FROM memory');
  });

  const store = (given: Parameters<typeof storeMemory>[1] = {}) => storeMemory(database.db, given);
  const serve = (memory: StoredMemory, at = [0, 1]) => {
    for (const i of at) (holds[i] as Map<string, Buffer>).set(memory.blobId, memory.envelope);
  };
  const options = (given: object = {}) => ({
    db: database.db,
    aggregators: both,
    blobCache: cache,
    graceMs: 24 * hour,
    storesAgain: true,
    sidecar: chain.sidecar,
    accounts: chain.accounts,
    log,
    ...given,
  });
  /** Looks at whatever is due, as a round does. */
  async function look(given: object = {}): Promise<LookResult> {
    const { db } = database;
    const memories = [
      ...(await dueForLook(db, 'done', 100)),
      ...(await timeIsOver(db, chain.epoch, 100)),
      ...(await dueForLook(db, 'lost', 100)),
    ];
    return lookAtBlobs(options(given), memories, chain.epoch);
  }
  /** A recall that does not find the blobs of these. */
  const recalled = (...memories: StoredMemory[]) =>
    readEnvelopes(
      { db: database.db, blobCache: cache, aggregators: both },
      memories[0]!.accountId,
      memories.map((memory) => ({
        ...memory,
        distance: 0,
        state: 'done',
        envelopeId: undefined,
        envelopeSha256: randomBytes(32),
        importance: 0.5,
        createdAt: new Date(0),
      })) as never,
    );
  const pass = (ms: number) =>
    database.db.query(
      `UPDATE unreadable_memory SET since = since - make_interval(secs => $1),
         next_look = next_look - make_interval(secs => $1)`,
      [ms / 1000],
    );
  async function stateOf({ id }: StoredMemory) {
    const { rows } = await database.db.query<{
      state: string;
      lost_reason: string | null;
      aggregators: number | null;
      vectors: number;
      kept: number;
    }>(
      `SELECT state, lost_reason, aggregators,
         (SELECT count(*)::int FROM memory_vector WHERE memory_id = memory.id) AS vectors,
         (SELECT count(*)::int FROM lost_vector WHERE memory_id = memory.id) AS kept
       FROM memory LEFT JOIN unreadable_memory ON memory_id = memory.id WHERE memory.id = $1`,
      [id],
    );
    return rows[0];
  }
  const sound = { state: 'done', lost_reason: null, aggregators: null, vectors: 1, kept: 0 };
  const suspected = { ...sound, aggregators: 2 };
  const lost = (reason: string) => ({
    state: 'lost',
    lost_reason: reason,
    aggregators: 2,
    vectors: 0,
    kept: 1,
  });
  async function nearest(accountId: Buffer) {
    const query = {
      accountId,
      namespace: 'default',
      model,
      vector: Float32Array.from([1, 0, 0, 0, 0, 0, 0, 0]),
      tokens: [],
      limit: 5,
      includePending: true,
    };
    const size = { vectors: 10, texts: 10, meanLength: 100 };
    return (await searchMemories(database.db, query, size)).matches;
  }
  const bury = async (memory: StoredMemory) => {
    await recalled(memory);
    await pass(25 * hour);
    expect(await look({ storesAgain: false })).toMatchObject({ lost: 1 });
  };

  test('is suspected when every aggregator says so, by a recall, and only then', async () => {
    const memory = await store();
    for (const [first, second] of [
      [404, 503],
      [500, 404],
      [429, 429],
      [new Map([[memory.blobId, randomBytes(10)]]), 404],
    ] as const) {
      holds[0] = first;
      holds[1] = second;
      await recalled(memory);
      expect(await stateOf(memory)).toEqual(sound);
    }
    holds[0] = holds[1] = 404;
    await recalled(memory);
    expect(await stateOf(memory)).toEqual(suspected);
  });

  test('is lost after the grace, when the chain knows nothing that lives; its row stays, its place is free', async () => {
    const memory = await store();
    const alive = await store({ accountId: memory.accountId, vector: [0, 1, 0, 0, 0, 0, 0, 0] });
    await recalled(memory);
    expect(await look()).toMatchObject({ suspected: 1, lost: 0 });
    await pass(23 * hour);
    expect(await look()).toMatchObject({ suspected: 1, lost: 0 });
    expect(await stateOf(memory)).toEqual(suspected);
    await pass(hour);
    expect(await look()).toMatchObject({ suspected: 1, lost: 1 });
    expect(await stateOf(memory)).toEqual(lost('missing'));
    expect(logged.join()).toContain(memory.id);

    const { db } = database;
    expect((await nearest(memory.accountId)).map(({ id }) => id)).toEqual([alive.id]);
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
          embedder: { model },
          vectors: { mapOf: () => ({ apply: (mapped: Float32Array) => mapped }) },
        } as never,
        memory.accountId,
        { namespace: 'default', limit: 1, ...more },
        Float32Array.from(vector),
        [{ distance: 0.5 }],
      );
    // Told to whom it would have been an answer, and to nobody else
    expect(await asked([1, 0, 0, 0, 0, 0, 0, 0])).toBe(1);
    expect(await asked([0, 1, 0, 0, 0, 0, 0, 0])).toBe(0);
    expect(await asked([0, 1, 0, 0, 0, 0, 0, 0], { limit: 2 })).toBe(1);
    expect(await asked([0, 1, 0, 0, 0, 0, 0, 0], { limit: 2, min_score: 0.5 })).toBe(0);
    expect(await asked([1, 0, 0, 0, 0, 0, 0, 0], { namespace: 'other' })).toBe(0);
  });

  test('with one aggregator the chain is the second word', async () => {
    const [gone, living] = [await store(), await store()];
    chain.put(living, 60);
    const aggregators = single;
    await lookAtBlobs(
      options({ aggregators }),
      (await Promise.all([gone, living].map(watched))).flat(),
      chain.epoch,
    );
    await pass(25 * hour);
    expect(await look({ aggregators })).toMatchObject({ lost: 1, livesOnChain: 1 });
    expect(await stateOf(gone)).toEqual({ ...lost('missing'), aggregators: 1 });
    expect(await stateOf(living)).toEqual({ ...sound, aggregators: 1 });
  });

  test.each([
    ['its own object lives', (memory: StoredMemory) => chain.put(memory, 11)],
    [
      'its owner holds another one',
      (memory: StoredMemory) => chain.put({ ...memory, objectId: newId() }, 11),
    ],
    ['the chain is away', () => void (chain.away = true)],
    ['its owner cannot be asked', () => void (chain.accounts.account = async () => undefined as never)],
    ['a renewal of it is under way', (memory: StoredMemory) => queueRenewal(memory)],
  ])('is not lost while %s', async (_what, given) => {
    const memory = await store();
    await recalled(memory);
    await pass(100 * hour);
    await given(memory);
    await look().catch((error: Error) => expect(error.message).toBe('the chain is away'));
    expect(await stateOf(memory)).toMatchObject({ state: 'done', aggregators: 2, vectors: 1 });
  });

  test.each([
    ['ended before this epoch', 10, true],
    ['was never certified', 60, false],
  ] as const)('is lost though an object of it is there that %s', async (_what, endEpoch, certified) => {
    const memory = await store();
    chain.put(memory, endEpoch, certified);
    await bury(memory);
    expect(await stateOf(memory)).toEqual(lost('missing'));
  });

  test('answers of aggregators that fail count for nothing, also when the grace is over', async () => {
    const memory = await store();
    await recalled(memory);
    await pass(100 * hour);
    holds[1] = 503;
    expect(await look()).toMatchObject({ suspected: 0, lost: 0 });
    expect(await stateOf(memory)).toEqual(suspected);
    // And it is not looked for at once again
    expect(await dueForLook(database.db, 'done', 10)).toEqual([]);
  });

  test('one good read clears the suspicion, and another one begins anew', async () => {
    const memory = await store();
    await recalled(memory);
    await pass(23 * hour);
    serve(memory, [1]);
    await look();
    expect(await stateOf(memory)).toEqual(sound);
    holds[1] = new Map();
    await recalled(memory);
    await pass(2 * hour);
    expect(await look()).toMatchObject({ suspected: 1, lost: 0 });
  });

  test('whose time is over is lost as expired; the chain is asked once for many', async () => {
    const accountId = randomBytes(32);
    const memories = [];
    for (let i = 0; i < 20; i++) memories.push(await store({ accountId, endEpoch: 10 }));
    expect(await look()).toMatchObject({ suspected: 20, lost: 0 });
    // The objects, and what else the owner has
    expect(chain.asked).toBe(2);
    expect(await timeIsOver(database.db, chain.epoch, 100)).toEqual([]);
    await pass(24 * hour);
    expect(await look()).toMatchObject({ suspected: 20, lost: 20 });
    for (const memory of memories) expect(await stateOf(memory)).toEqual(lost('expired'));
    expect(await countLost(database.db, accountId, ['default'])).toEqual({ expired: 20 });
  });

  test('that its owner has prolonged is paid for: the new end is learnt', async () => {
    const memory = await store({ endEpoch: 10 });
    serve(memory);
    chain.put(memory, 30);
    await look();
    expect(await stateOf(memory)).toEqual(sound);
    const { rows } = await database.db.query('SELECT end_epoch FROM memory');
    expect(rows).toEqual([{ end_epoch: 30 }]);
    expect(await timeIsOver(database.db, chain.epoch, 10)).toEqual([]);
  });

  test('that is still served though nobody pays for it any more is stored once more, and not asked for all the time', async () => {
    const memory = await store({ endEpoch: 9 });
    serve(memory);
    expect(await look()).toMatchObject({ suspected: 0, storedAgain: 1 });
    const { rows } = await database.db.query<{ checkpoint: object; envelope: Buffer }>(
      'SELECT checkpoint, envelope FROM memory_job',
    );
    expect(rows).toEqual([
      { checkpoint: { renews: memory.id, min_end_epoch: 11 }, envelope: expect.anything() },
    ]);
    expect(Buffer.from(rows[0]!.envelope)).toEqual(memory.envelope);
    expect(await stateOf(memory)).toMatchObject({ state: 'done', aggregators: 0 });
    expect(await timeIsOver(database.db, chain.epoch, 10)).toEqual([]);
    // When it goes after all, its grace begins then
    await pass(25 * hour);
    holds[0] = holds[1] = new Map();
    await database.db.query('DELETE FROM memory_job');
    expect(await look()).toMatchObject({ suspected: 1, lost: 0 });
  });

  test('is stored again from the cache as long as it is there, and not when nobody pays for renewals', async () => {
    const memory = await store();
    await cache.set(memory.blobId, memory.envelope);
    await recalled({ ...memory, envelope: randomBytes(3) });
    await pass(100 * hour);
    expect(await look()).toMatchObject({ suspected: 1, lost: 0, storedAgain: 1 });
    await pass(100 * hour);
    expect(await look()).toMatchObject({ lost: 0, storedAgain: 0 });
    expect((await database.db.query('SELECT id FROM memory_job')).rows).toHaveLength(1);
    await database.db.query('DELETE FROM memory_job');
    await pass(100 * hour);
    expect(await look({ storesAgain: false })).toMatchObject({ lost: 1, storedAgain: 0 });
    // Other bytes under its id are none
    await cache.set(memory.blobId, randomBytes(20));
    await pass(100 * hour);
    expect(await look()).toMatchObject({ storedAgain: 0 });
  });

  test('comes back to life with its vectors when it can be read again', async () => {
    const memory = await store();
    await bury(memory);
    expect(await nearest(memory.accountId)).toEqual([]);
    serve(memory);
    expect(await look()).toMatchObject({ found: 0 });
    await pass(25 * hour);
    expect(await look()).toMatchObject({ found: 1 });
    expect(await stateOf(memory)).toEqual(sound);
    expect(await nearest(memory.accountId)).toMatchObject([{ id: memory.id, distance: 0 }]);
  });

  test('can be forgotten, and nothing is left of it', async () => {
    const memory = await store();
    await bury(memory);
    const place = { accountId: memory.accountId, namespace: 'default', tag: Buffer.alloc(16, 1) };
    const removed = await database.db.transaction((tx) => deleteMemories(tx, place, [memory.id]));
    expect(removed).toMatchObject([{ id: memory.id, blobId: memory.blobId, objectId: memory.objectId }]);
    for (const table of ['memory', 'memory_vector', 'lost_vector', 'unreadable_memory'])
      expect((await database.db.query(`SELECT 1 FROM ${table}`)).rows, table).toEqual([]);
  });

  test('rounds look at a bounded number, go on where they stopped, and one relayer does them', async () => {
    const memories = [];
    for (let i = 0; i < 7; i++) memories.push(await store());
    for (const memory of memories.slice(1)) serve(memory, [0]);
    const asked = () => servers[0]!.asked.splice(0);
    asked();
    const due = () =>
      database.db.query("UPDATE shared_task SET due_at = now() WHERE name = 'look for blobs'");
    const position = async () =>
      (
        await database.db.query<{ position: string }>(
          "SELECT position FROM shared_task WHERE name = 'look for blobs'",
        )
      ).rows[0]?.position ?? '';
    const given = { ...options(), perHour: 36, wakeUpload: () => undefined };
    const relayers = [await startBlobChecks(given), await startBlobChecks(given)];
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
    expect(await stateOf(memories[0]!)).toEqual(suspected);
    for (const memory of memories.slice(1)) expect(await stateOf(memory)).toEqual(sound);
  });

  /** As a round has it that comes by. */
  async function watched(memory: StoredMemory) {
    await database.db.query(
      'INSERT INTO unreadable_memory (account_id, memory_id, blob_id, aggregators) VALUES ($1, $2, $3, 1)',
      [memory.accountId, memory.id, memory.blobId],
    );
    return (await dueForLook(database.db, 'done', 100)).filter(({ id }) => id === memory.id);
  }
  const queueRenewal = (memory: StoredMemory) =>
    database.db.query(
      `INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, stage, envelope, envelope_sha256, checkpoint)
       VALUES ($1, $2, 'o', 'default', ''::bytea, 'uploading', $3, $3, $4::jsonb)`,
      [randomUUID(), memory.accountId, randomBytes(32), JSON.stringify({ renews: memory.id })],
    );
});
