import { randomBytes, randomUUID } from 'node:crypto';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { type MemoryEntry, memoriesRequest } from '@memrelay/protocol/memory-lists';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DelegateScope } from '../../src/accounts/account-directory.ts';
import type { Caller } from '../../src/accounts/caller.ts';
import { createKeyUses } from '../../src/accounts/key-uses.ts';
import { hexToBytes } from '../../src/base/db/hex.ts';
import { accountStats, listNamespaces, type StatsParts } from '../../src/memories/lists/account-stats.ts';
import { listMemories } from '../../src/memories/lists/list-memories.ts';
import type { PageParts } from '../../src/memories/reading/readable-page.ts';
import { firstPage, memoryPageSql } from '../../src/memories/rows/page-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { nodesOf, type PlanNode, rowsRead } from '../support/query-plan.ts';

const model = 'model-of-today';
const tagOf = (origin: string, namespace: string) =>
  namespaceTag(nodePrimitives, hexToBytes(origin), namespace);

/** A caller with a separate account and every right, unless specified. */
function newCaller(
  scope: Partial<DelegateScope> = {},
  accountId = `0x${randomBytes(32).toString('hex')}`,
): Caller {
  const all = { perms: 7, allNamespaces: true, tags: [], minEpoch: 0, expiresAtMs: 0 };
  return {
    account: { accountId, origin: accountId, keyEpoch: 0, delegates: [] },
    delegate: { scope: { ...all, ...scope } },
  } as unknown as Caller;
}
const limitedTo = (caller: Caller, ...names: string[]): Caller => {
  const tags = names.map((name) => Buffer.from(tagOf(caller.account.origin, name)).toString('hex'));
  return newCaller({ allNamespaces: false, tags }, caller.account.accountId);
};

describe.each(databases)('lists on $name', ({ create }) => {
  let database: TestDb;
  let context: StatsParts & PageParts;
  let epoch: number | undefined;
  beforeAll(async () => {
    database = await create();
    const secrets = { indexKey: randomBytes(32) };
    const prices = { storage_price: '100000', write_price: '20000', n_shards: 31, epoch_ms: 14 * 86_400_000 };
    const tariff = async () => (epoch === undefined ? undefined : { epoch, ...prices });
    const storageTime = { tariff, soonEpochs: 3, renewed: true, storeEpochs: 2 };
    context = {
      db: database.db,
      secrets,
      tagOf,
      embedder: { model },
      storageTime,
      keyUses: createKeyUses(),
    } as unknown as StatsParts & PageParts;
  });
  afterAll(() => database.drop());

  interface Stored {
    namespace?: string;
    state?: 'pending' | 'done' | 'failed';
    createdAt?: string;
    size?: number;
    endEpoch?: number | null;
    vectorsOf?: string[];
  }

  async function store(caller: Caller, memory: Stored = {}): Promise<string> {
    const id = randomUUID();
    const accountId = hexToBytes(caller.account.accountId);
    const {
      namespace = 'default',
      state = 'done',
      createdAt = '2026-03-01T10:00:00Z',
      size = 1_500,
    } = memory;
    const { endEpoch = 60, vectorsOf = [] } = memory;
    const isStored = state === 'done';
    const blobId = isStored ? randomBytes(32).toString('base64url') : null;
    await database.db.query(
      `INSERT INTO memory (account_id, id, namespace, state, blob_id, end_epoch, envelope_sha256, size, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::timestamptz)`,
      [accountId, id, namespace, state, blobId, isStored ? endEpoch : null, randomBytes(32), size, createdAt],
    );
    for (const vectorModel of vectorsOf)
      await database.db.query(
        `INSERT INTO memory_vector (account_id, namespace, embedding_model, memory_id, chunk_no, vector_key_id, embedding, code)
         VALUES ($1, $2, $3, $4, 0, 1, '[1,2]', B'11')`,
        [accountId, namespace, vectorModel, id],
      );
    return id;
  }
  const list = (caller: Caller, request: object = {}) =>
    listMemories(context, caller, memoriesRequest.parse(request));
  const idsOf = (memories: readonly MemoryEntry[]) => memories.map(({ id }) => id);

  /** All pages, one after the other. */
  async function walk(caller: Caller, request: object): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await list(caller, { ...request, ...(cursor ? { cursor } : {}) });
      ids.push(...idsOf(page.memories));
      cursor = page.next_cursor;
      if (cursor === undefined) return ids;
    }
  }

  test('lists stored memories with all fields and pending ones as pending, and never lists failed ones', async () => {
    const caller = newCaller();
    const id = await store(caller, { namespace: 'work', size: 2_048 });
    const unknown = await store(caller, { createdAt: '2026-03-02T10:00:00Z', endEpoch: null });
    const pending = await store(caller, { createdAt: '2026-03-03T10:00:00Z', state: 'pending' });
    await store(caller, { state: 'failed' });
    const { memories, ...rest } = await list(caller);
    expect(rest).toEqual({});
    expect(idsOf(memories)).toEqual([pending, unknown, id]);
    expect(memories[2]).toEqual({
      id,
      blob_id: expect.stringMatching(/^[\w-]{43}$/),
      namespace: 'work',
      created_at: '2026-03-01T10:00:00.000Z',
      size: 2_048,
      importance: 0.5,
      expires_epoch: 60,
    });
    expect(memories[1]).not.toHaveProperty('expires_epoch');
    expect(memories[0]).toMatchObject({ pending: true });
    expect(memories[0]).not.toHaveProperty('blob_id');
  });

  test('returns every memory once across pages, newest first, even within one microsecond', async () => {
    const caller = newCaller();
    const times = ['10:00:00.000001Z', '10:00:00.000002Z', '10:00:00.000002Z', '10:00:00.5Z'];
    const ids: string[] = [];
    for (const namespace of ['a', 'b', 'c'])
      for (const time of times) ids.push(await store(caller, { namespace, createdAt: `2026-03-01T${time}` }));
    const whole = idsOf((await list(caller)).memories);
    expect([...whole].sort()).toEqual([...ids].sort());
    for (const limit of [1, 3, 5, 12]) expect(await walk(caller, { limit })).toEqual(whole);
    const { memories } = await list(caller);
    const inB = idsOf(memories.filter(({ namespace }) => namespace === 'b'));
    expect(inB.length).toBe(4);
    expect(await walk(caller, { limit: 1, namespace: 'b' })).toEqual(inB);
    const twoOfThree = idsOf(memories.filter(({ namespace }) => namespace !== 'b'));
    expect(await walk(limitedTo(caller, 'a', 'c', 'unused'), { limit: 3 })).toEqual(twoOfThree);
  });

  test('neither repeats nor shifts entries when a memory is stored between two pages', async () => {
    const caller = newCaller();
    for (const day of [1, 2, 3, 4]) await store(caller, { createdAt: `2026-03-0${day}T10:00:00Z` });
    const first = await list(caller, { limit: 2 });
    await store(caller, { createdAt: '2026-03-09T10:00:00Z' });
    const second = await list(caller, { limit: 2, cursor: first.next_cursor });
    expect(second.memories.map((memory) => memory.created_at.slice(0, 10))).toEqual([
      '2026-03-02',
      '2026-03-01',
    ]);
    expect(second).not.toHaveProperty('next_cursor');
  });

  test('rejects a cursor that was changed or belongs to another list or account', async () => {
    const [caller, other] = [newCaller(), newCaller()];
    for (const owner of [caller, other])
      for (const namespace of ['a', 'a', 'b', 'b']) await store(owner, { namespace });
    const cursor = (await list(caller, { limit: 1 })).next_cursor!;
    const ofB = (await list(caller, { limit: 1, namespace: 'b' })).next_cursor!;
    await expect(list(caller, { cursor })).resolves.toBeDefined();
    const swapped = (at: number) =>
      cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
    const refused: [Caller, object][] = [
      ...Array.from({ length: cursor.length }, (_, at): [Caller, object] => [
        caller,
        { cursor: swapped(at) },
      ]),
      [other, { cursor }],
      [caller, { cursor, namespace: 'b' }],
      [caller, { cursor: ofB }],
      [caller, { cursor: ofB, namespace: 'a' }],
      ...['', 'AAAA', '!', `${cursor}A`, `${cursor}=`, cursor.slice(1)].map((bad): [Caller, object] => [
        caller,
        { cursor: bad },
      ]),
    ];
    for (const [who, request] of refused)
      await expect(list(who, request), JSON.stringify(request)).rejects.toMatchObject({
        code: 'invalid_request',
        details: { issues: [expect.objectContaining({ path: 'cursor' })] },
      });
  });

  test('shows only namespaces in scope, and rejects keys without READ', async () => {
    const owner = newCaller();
    for (const namespace of ['work', 'home', 'secret']) await store(owner, { namespace, state: 'done' });
    await database.db.query(
      `INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, envelope_sha256, status)
       SELECT gen_random_uuid(), $1, '0x', name, ''::bytea, ''::bytea, status
       FROM unnest(ARRAY['secret', 'work', 'not yet']) AS name, unnest(ARRAY['running', 'failed', 'done']) AS status`,
      [hexToBytes(owner.account.accountId)],
    );
    const limited = limitedTo(owner, 'work', 'not yet');
    expect((await list(limited)).memories.map(({ namespace }) => namespace)).toEqual(['work']);
    expect(await listNamespaces(context, limited)).toMatchObject({ namespaces: [{ namespace: 'work' }] });
    const stats = await accountStats(context, limited);
    expect(stats).not.toHaveProperty('key_uses');
    expect(stats).toMatchObject({
      memory_count: 1,
      jobs: { running: 2, failed: 2, namespaces: ['not yet', 'work'] },
    });
    const { rows } = await database.db.query<{ id: string }>(
      "SELECT id FROM memory_job WHERE status = 'failed' AND namespace <> 'secret' ORDER BY id",
    );
    expect(stats.jobs.failed_ids?.toSorted()).toEqual(rows.map(({ id }) => id));
    const failedIds = expect.toSatisfy((ids: string[]) => ids.length === 3);
    expect((await accountStats(context, owner)).jobs).toEqual({
      running: 3,
      failed: 3,
      failed_ids: failedIds,
      namespaces: ['not yet', 'secret', 'work'],
    });
    await expect(list(limited, { namespace: 'home' })).rejects.toMatchObject({ code: 'insufficient_scope' });
    const nowhere = limitedTo(owner);
    expect(await list(nowhere)).toEqual({ memories: [] });
    expect(await accountStats(context, nowhere)).toEqual({
      memory_count: 0,
      storage_bytes: 0,
      stale_count: 0,
      jobs: { running: 0, failed: 0 },
      namespaces: [],
    });
    const writer = newCaller({ perms: 2 }, owner.account.accountId);
    for (const refused of [
      () => list(writer),
      () => list(writer, { namespace: 'work' }),
      () => listNamespaces(context, writer),
      () => accountStats(context, writer),
    ])
      await expect(refused()).rejects.toMatchObject({ code: 'insufficient_scope' });
  });

  test('counts stored and pending memories in namespaces and stats, per namespace and in total', async () => {
    const [caller, other] = [newCaller(), newCaller()];
    await store(other, { namespace: 'work' });
    await store(caller, { namespace: 'work', size: 1_000, createdAt: '2026-03-01T10:00:00.25Z' });
    await store(caller, {
      namespace: 'work',
      size: 2_000,
      createdAt: '2026-03-05T10:00:00Z',
      state: 'pending',
    });
    await store(caller, {
      namespace: 'work',
      size: 9_000,
      createdAt: '2026-03-09T10:00:00Z',
      state: 'failed',
    });
    await store(caller, { namespace: 'Z', size: 500, createdAt: '2026-02-01T10:00:00Z' });
    const namespaces = [
      {
        namespace: 'Z',
        memory_count: 1,
        storage_bytes: 500,
        newest: '2026-02-01T10:00:00.000Z',
        oldest: '2026-02-01T10:00:00.000Z',
      },
      {
        namespace: 'work',
        memory_count: 2,
        storage_bytes: 3_000,
        newest: '2026-03-05T10:00:00.000Z',
        oldest: '2026-03-01T10:00:00.250Z',
      },
    ];
    expect(await listNamespaces(context, caller)).toEqual({ namespaces });
    expect(await accountStats(context, caller)).toEqual({
      memory_count: 3,
      storage_bytes: 3_500,
      newest: '2026-03-05T10:00:00.000Z',
      oldest: '2026-02-01T10:00:00.000Z',
      stale_count: 0,
      jobs: { running: 0, failed: 0 },
      key_uses: [],
      namespaces,
    });
    expect(await listNamespaces(context, newCaller())).toEqual({ namespaces: [] });
  });

  test('reports memories that expire soon, by scope, and omits them while the epoch is unknown', async () => {
    const caller = newCaller();
    for (const endEpoch of [49, 50, 51, 53, 54, null]) await store(caller, { endEpoch });
    await store(caller, { endEpoch: 52, namespace: 'work', size: 500 });
    await store(caller, { state: 'pending' });
    await store(newCaller(), { endEpoch: 51 });
    expect(await accountStats(context, caller)).not.toHaveProperty('expiry');
    epoch = 50;
    const known = { epoch, renewed: true, epoch_ms: 14 * 86_400_000 };
    expect((await accountStats(context, caller)).expiry).toEqual({
      ...known,
      soon_count: 3,
      soon_bytes: 3_500,
      first_epoch: 51,
      ends: [
        { epoch: 51, count: 1, bytes: 1_500 },
        { epoch: 52, count: 1, bytes: 500 },
        { epoch: 53, count: 1, bytes: 1_500 },
        { epoch: 54, count: 1, bytes: 1_500 },
      ],
    });
    expect((await accountStats(context, limitedTo(caller, 'work'))).expiry).toEqual({
      ...known,
      soon_count: 1,
      soon_bytes: 500,
      first_epoch: 52,
      ends: [{ epoch: 52, count: 1, bytes: 500 }],
    });
    expect((await accountStats(context, newCaller())).expiry).toEqual({
      ...known,
      soon_count: 0,
      soon_bytes: 0,
      ends: [],
    });
    // Eight stored memories and a pending one, each within the unit of 1 MiB: 13.04 renewals of 220,000 FROST
    const { memory_count, forecast } = await accountStats(context, caller);
    expect(memory_count).toBe(8);
    expect(forecast).toMatchObject({ epochs: 2, renewals_per_year: 13.045, per_quilt: 20 });
    expect(Number(forecast!.alone_frost)).toBeCloseTo(8 * 220_000 * (365.25 / 28), -2);
    expect(Number(forecast!.quilted_frost)).toBeCloseTo(220_000 * (365.25 / 28), -2);
    expect(await accountStats(context, newCaller())).not.toHaveProperty('forecast');
    epoch = undefined;
  });

  test('counts a memory as stale if it only has vectors of other models', async () => {
    const caller = newCaller();
    await store(caller, { vectorsOf: [model] });
    await store(caller, { vectorsOf: ['a-former-model'] });
    await store(caller, { vectorsOf: ['a-former-model', 'z-former-model'], namespace: 'work' });
    await store(caller, { vectorsOf: ['z-former-model', model] });
    await store(caller, { vectorsOf: ['a-former-model'], state: 'failed' });
    expect((await accountStats(context, caller)).stale_count).toBe(2);
    expect((await accountStats(context, limitedTo(caller, 'work'))).stale_count).toBe(1);
  });

  test('reads a page of a large account from the index, and only the rows of that page', async () => {
    const accountId = randomBytes(32);
    await database.db.query(
      `INSERT INTO memory (account_id, id, namespace, state, blob_id, envelope_sha256, size, created_at)
       SELECT $1, gen_random_uuid(), 'n' || i % 7, CASE WHEN i % 50 = 0 THEN 'failed' ELSE 'done' END, 'b', ''::bytea, 100,
         now() - make_interval(secs => i)
       FROM generate_series(1, 20000) AS i`,
      [accountId],
    );
    await database.db.query('ANALYZE memory');
    const page = [accountId, firstPage.createdAt, firstPage.id, 51];
    const deep = [accountId, new Date(Date.now() - 9_000_000).toISOString(), firstPage.id, 51];
    for (const [sql, parameters, namespaces] of [
      [memoryPageSql.ofAccount, page, 1],
      [memoryPageSql.ofAccount, deep, 1],
      [memoryPageSql.ofNamespaces, [...page, ['n3']], 1],
      [memoryPageSql.ofNamespaces, [...deep, ['n1', 'n3', 'n5']], 3],
    ] as const) {
      const { rows } = await database.db.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        parameters,
      );
      const nodes = nodesOf(rows[0]!['QUERY PLAN'][0]!.Plan);
      const scans = nodes.filter((node) => /Scan$/.test(node['Node Type']) && node['Index Name']);
      // The page, and one memory by its key for each near-duplicate on it
      expect(scans.map((node) => node['Index Name']).toSorted()).toEqual([
        expect.stringMatching(/^memory_newest/),
        'memory_pkey',
      ]);
      for (const node of nodes) {
        expect(rowsRead(node), node['Node Type']).toBeLessThanOrEqual(51 * namespaces);
      }
    }
  });
});
