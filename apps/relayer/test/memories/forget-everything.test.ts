import { randomBytes } from 'node:crypto';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { forgetRequest } from '@memrelay/protocol/forget';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DelegateScope } from '../../src/accounts/account-directory.ts';
import type { Caller } from '../../src/accounts/caller.ts';
import { hexToBytes } from '../../src/base/db/hex.ts';
import { createMemoryBlobCache } from '../../src/blobs/blob-cache.ts';
import { type ForgetParts, forget } from '../../src/memories/forget/forget.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { newId, storeMemory } from '../support/stored-memories.ts';
import { testAudit } from '../support/test-audit.ts';

const tagOf = (origin: string, namespace: string) =>
  namespaceTag(nodePrimitives, hexToBytes(origin), namespace);

function newCaller(scope: Partial<DelegateScope> = {}, accountId = newId(), stale = false): Caller {
  const all = { perms: 7, allNamespaces: true, tags: [], minEpoch: 0, expiresAtMs: 0 };
  return {
    account: { accountId, origin: accountId, owner: newId(), keyEpoch: 0, delegates: [], stale },
    delegate: { scope: { ...all, ...scope } },
    publicKey: randomBytes(32).toString('hex'),
  } as unknown as Caller;
}

test.each([
  [{}, ['namespace']],
  [{ everything: false }, ['everything']],
  [{ everything: 'yes' }, ['everything']],
  [{ everything: true, namespace: 'work' }, ['everything']],
  [{ everything: true, ids: ['722fdc0e-7ca0-4868-9f2d-e284a9bf725c'] }, ['everything']],
])('rejects %j as a request to forget everything', (body, paths) => {
  const { error } = forgetRequest.safeParse(body);
  expect(error!.issues.map(({ path }) => path[0])).toEqual(paths);
});

describe.each(databases)('forgetting everything of an account, on $name', ({ create }) => {
  let database: TestDb;
  let context: ForgetParts;
  beforeAll(async () => {
    database = await create();
    const recipientPk = nodePrimitives.ed25519PublicKey(randomBytes(32));
    context = {
      db: database.db,
      audit: testAudit,
      tagOf,
      secrets: { writerKeys: [randomBytes(32)] },
      expiredDelegates: { pruned: async (account: unknown) => account },
      namespaceKeys: {
        current: async () => ({ recipientPk, wraps: [{ type: 1, bytes: randomBytes(404) }] }),
      },
      blobCache: createMemoryBlobCache({ ttlSeconds: 60, maxBlobBytes: 1_000 }),
      pipeline: { wakeUpload: () => undefined },
      loggers: { memories: pino({ enabled: false }) },
    } as unknown as ForgetParts;
  });
  afterAll(() => database.drop());

  const everything = (caller: Caller) => forget(context, caller, { everything: true });
  const rowsOf = async (caller: Caller, table: string, where = 'true') => {
    const { rows } = await database.db.query(`SELECT 1 FROM ${table} WHERE account_id = $1 AND ${where}`, [
      hexToBytes(caller.account.accountId),
    ]);
    return rows.length;
  };

  test('forgets a thousand memories per call, through all namespaces, with a tombstone for each memory', async () => {
    const caller = newCaller();
    for (const [namespace, count] of [
      ['a', 700],
      ['b', 700],
      ['c', 1],
    ] as const)
      await database.db.query(
        `INSERT INTO memory (account_id, id, namespace, state, blob_id, object_id, envelope_id, envelope_sha256, size)
         SELECT $1, gen_random_uuid(), $2, 'done', 'b' || no, $2 || no, decode(md5($2 || no), 'hex'), ''::bytea, 1
         FROM generate_series(1, ${count}) AS no`,
        [hexToBytes(caller.account.accountId), namespace],
      );
    const other = await storeMemory(database.db);
    const first = await everything(caller);
    expect(first).toMatchObject({ deleted: 1_000, owner: caller.account.owner, more: true });
    expect(first).not.toHaveProperty('namespace');
    const second = await everything(caller);
    expect(second.deleted).toBe(401);
    expect(second).not.toHaveProperty('more');
    expect(new Set([...first.blobs_to_delete, ...second.blobs_to_delete]).size).toBe(1_401);
    expect(await rowsOf(caller, 'memory')).toBe(0);
    expect(await rowsOf(caller, 'forgotten_memory')).toBe(1_401);
    // At most 200 names each, by namespace and step: 4 and then 2, 2 and 1
    expect(await rowsOf(caller, 'memory_job', 'kind = 2')).toBe(9);
    // A lost response can be requested again for a day
    const third = await everything(caller);
    expect([third.deleted, third.blobs_to_delete.length]).toEqual([0, 1_401]);
    const { rows } = await database.db.query('SELECT id FROM memory');
    expect(rows).toEqual([{ id: other.id }]);
  });

  test('rejects keys that may not forget everywhere, and fails while the chain is unreachable', async () => {
    const { accountId } = newCaller().account;
    const memory = await storeMemory(database.db, { accountId: hexToBytes(accountId), namespace: 'work' });
    const tag = Buffer.from(tagOf(accountId, 'work')).toString('hex');
    for (const [caller, code] of [
      [newCaller({ allNamespaces: false, tags: [tag] }, accountId), 'insufficient_scope'],
      [newCaller({ perms: 3 }, accountId), 'insufficient_scope'],
      [newCaller({}, accountId, true), 'auth_unavailable'],
    ] as const)
      await expect(everything(caller)).rejects.toMatchObject({ code });
    expect((await everything(newCaller({ perms: 4 }, accountId))).blobs_to_delete).toEqual([memory.objectId]);
  });

  test('forgets one of two memories with the same bytes, and writes the tombstone with the last', async () => {
    const caller = newCaller();
    const accountId = hexToBytes(caller.account.accountId);
    const [first, second] = [
      await storeMemory(database.db, { accountId }),
      await storeMemory(database.db, { accountId }),
    ];
    await database.db.query('UPDATE memory SET envelope_id = $1 WHERE account_id = $2', [
      randomBytes(16),
      accountId,
    ]);
    expect(await forget(context, caller, { ids: [first.id] })).toMatchObject({ deleted: 1 });
    expect(await rowsOf(caller, 'memory_job', 'kind = 2')).toBe(0);
    expect(await rowsOf(caller, 'memory')).toBe(1);
    expect(await forget(context, caller, { ids: [second.id] })).toMatchObject({ deleted: 1 });
    expect(await rowsOf(caller, 'memory_job', 'kind = 2')).toBe(1);
  });
});
