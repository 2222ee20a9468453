import { randomBytes } from 'node:crypto';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { wrapType } from '@memrelay/envelope/wraps';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/accounts/caller.ts';
import { hexToBytes } from '../../src/base/db/hex.ts';
import { createKeyRewraps } from '../../src/keys/key-rewraps.ts';
import { wrapsColumn } from '../../src/keys/namespace-keys.ts';
import { accountKeys } from '../../src/memories/keys/account-keys.ts';
import { databases, type TestDb } from '../support/databases.ts';

describe.each(databases)('the keys of an account on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());

  test('include keys of pending and failed memories, which will need a reader', async () => {
    const { db } = database;
    const accountId = `0x${randomBytes(32).toString('hex')}`;
    const tagOf = (origin: string, namespace: string) =>
      namespaceTag(nodePrimitives, hexToBytes(origin), namespace);
    const parts = { db, tagOf, keyRewraps: createKeyRewraps(db, 'set-2') };
    const scope = { perms: 7, allNamespaces: true, tags: [], minEpoch: 0, expiresAtMs: 0 };
    const caller = {
      account: { accountId, origin: accountId, keyEpoch: 0, delegates: [] },
      delegate: { scope },
    } as unknown as Caller;
    const wraps = wrapsColumn([{ type: wrapType.seal, bytes: randomBytes(40) }]);
    for (const namespace of ['queued', 'failed', 'gone'])
      await db.query(
        `INSERT INTO namespace_key (account_id, tag, key_epoch, server_set, recipient_pk, wraps, mac, period)
         VALUES ($1, $2, 0, 'set-1', $3, $4, $5, 0)`,
        [
          hexToBytes(accountId),
          Buffer.from(tagOf(accountId, namespace)),
          randomBytes(32),
          wraps,
          randomBytes(32),
        ],
      );
    for (const [namespace, status] of [
      ['queued', 'running'],
      ['failed', 'failed'],
      ['gone', 'done'],
    ] as const)
      await db.query(
        `INSERT INTO memory_job (id, account_id, owner, namespace, delegate_pk, envelope_sha256, status)
         VALUES (gen_random_uuid(), $1, '0x', $2, ''::bytea, ''::bytea, $3)`,
        [hexToBytes(accountId), namespace, status],
      );
    const keys = await accountKeys(parts, caller, ['read', 'write']);
    expect(keys.map(({ namespace }) => namespace).sort()).toEqual(['failed', 'queued']);
  });
});
