import { randomBytes, randomUUID } from 'node:crypto';
import { noQuestion } from '@memrelay/text-index/question';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { type AggregatorReader, createAggregatorReader } from '../../src/blobs/aggregator-reads.ts';
import { type BlobCache, createMemoryBlobCache } from '../../src/blobs/blob-cache.ts';
import { dueForCheck, timeIsOver } from '../../src/jobs/rows/watched-memories.ts';
import { readEnvelopes } from '../../src/memories/reading/read-envelopes.ts';
import { searchMemories } from '../../src/memories/rows/search-rows.ts';
import { type BlobCheckResult, checkBlobs } from '../../src/upkeep/missing/check-blobs.ts';
import type { databases, TestDb } from './databases.ts';
import { startServer, type TestServer } from './http-server.ts';
import { ChainOfObjects, model, type StoredMemory, storeMemory } from './stored-memories.ts';

export const hour = 3_600_000;

/** Stored memories with two aggregators and a chain that the test controls; empty before each test. */
export function blobWorld(create: (typeof databases)[number]['create']) {
  let database: TestDb;
  let chain: ChainOfObjects;
  let cache: BlobCache;
  let servers: TestServer[];
  let both: AggregatorReader;
  let single: AggregatorReader;
  /** The contents of each of the two aggregators, or the status of all their responses */
  const holds: (Map<string, Buffer> | number)[] = [new Map(), new Map()];
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });

  beforeAll(async () => {
    database = await create();
    servers = await Promise.all(
      [0, 1].map((i) =>
        startServer((request, response) => {
          const contents = holds[i]!;
          const bytes =
            typeof contents === 'number' ? undefined : contents.get(request.url!.split('/').at(-1)!);
          if (bytes) response.end(bytes);
          else response.writeHead(typeof contents === 'number' ? contents : 404).end();
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

  const store = (overrides: Parameters<typeof storeMemory>[1] = {}) => storeMemory(database.db, overrides);
  const serve = (memory: StoredMemory, at = [0, 1]) => {
    for (const i of at) (holds[i] as Map<string, Buffer>).set(memory.blobId, memory.envelope);
  };
  const options = (overrides: object = {}) => ({
    db: database.db,
    aggregators: both,
    blobCache: cache,
    graceMs: 24 * hour,
    storesAgain: true,
    sidecar: chain.sidecar,
    accounts: chain.accounts,
    log,
    ...overrides,
  });
  /** Checks everything that is due, as a round does. */
  async function look(overrides: object = {}): Promise<BlobCheckResult> {
    const { db } = database;
    const memories = [
      ...(await dueForCheck(db, 'done', 100)),
      ...(await timeIsOver(db, chain.epoch, 100)),
      ...(await dueForCheck(db, 'lost', 100)),
    ];
    return checkBlobs(options(overrides), memories, chain.epoch);
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
  async function nearest(accountId: Buffer) {
    const query = {
      accountId,
      namespace: 'default',
      model,
      vector: Float32Array.from([1, 0, 0, 0, 0, 0, 0, 0]),
      question: noQuestion,
      limit: 5,
      includePending: true,
    };
    const size = { vectors: 10, stale: 0, texts: 10, meanLength: 100 };
    return (await searchMemories(database.db, query, size)).matches;
  }
  const bury = async (memory: StoredMemory) => {
    await recalled(memory);
    await pass(25 * hour);
    expect(await look({ storesAgain: false })).toMatchObject({ lost: 1 });
  };

  /** As in a round that finds it. */
  async function watched(memory: StoredMemory) {
    await database.db.query(
      'INSERT INTO unreadable_memory (account_id, memory_id, blob_id, aggregators) VALUES ($1, $2, $3, 1)',
      [memory.accountId, memory.id, memory.blobId],
    );
    return (await dueForCheck(database.db, 'done', 100)).filter(({ id }) => id === memory.id);
  }
  const queueRenewal = (memory: StoredMemory) =>
    database.db.query(
      `INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, stage, envelope, envelope_sha256, checkpoint)
       VALUES ($1, $2, 'o', 'default', ''::bytea, 'uploading', $3, $3, $4::jsonb)`,
      [randomUUID(), memory.accountId, randomBytes(32), JSON.stringify({ renews: memory.id })],
    );

  return {
    get db() {
      return database.db;
    },
    get chain() {
      return chain;
    },
    get cache() {
      return cache;
    },
    get servers() {
      return servers;
    },
    get single() {
      return single;
    },
    holds,
    logged,
    store,
    serve,
    options,
    look,
    recalled,
    pass,
    stateOf,
    nearest,
    bury,
    watched,
    queueRenewal,
  };
}

export const sound = { state: 'done', lost_reason: null, aggregators: null, vectors: 1, kept: 0 };
export const suspected = { ...sound, aggregators: 2 };
export const lost = (reason: string) => ({
  state: 'lost',
  lost_reason: reason,
  aggregators: 2,
  vectors: 0,
  kept: 1,
});
