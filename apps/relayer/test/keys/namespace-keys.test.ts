import { randomBytes } from 'node:crypto';
import type { MakeKeyRequest, MakeKeyResponse } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountSnapshot } from '../../src/accounts/account-directory.ts';
import { hexToBytes } from '../../src/base/db/hex.ts';
import { createNamespaceKeys, type NamespaceKeys } from '../../src/keys/namespace-keys.ts';
import type { SidecarClient } from '../../src/sidecar/sidecar-client.ts';
import { databases, type TestDb } from '../support/databases.ts';

const silent = pino({ enabled: false });
const macKey = randomBytes(32);
const day = 24 * 3600 * 1000;

function newAccount(keyEpoch = 0): AccountSnapshot {
  const address = () => `0x${randomBytes(32).toString('hex')}`;
  return {
    accountId: address(),
    initialSharedVersion: '1',
    objectVersion: 1n,
    origin: address(),
    owner: address(),
    active: true,
    keyEpoch,
    delegates: [],
    recoveryPk: undefined,
    stale: false,
  };
}

describe.each(databases)('namespace keys on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());

  /** A relayer's keys, with a generator of random bytes instead of the key servers. */
  function relayer(options: { set?: string; sidecarSet?: string; key?: Buffer; now?: () => number } = {}) {
    const { set = 'set-1', sidecarSet = set, key = macKey, now = Date.now } = options;
    const made: MakeKeyRequest[] = [];
    const makeKey = async (request: MakeKeyRequest): Promise<MakeKeyResponse> => {
      made.push(request);
      return {
        recipient_pk: randomBytes(32).toString('hex'),
        wraps: [
          { type: 1, bytes: randomBytes(404).toString('base64') },
          { type: 2, bytes: randomBytes(112).toString('base64') },
        ],
        server_set: sidecarSet,
      };
    };
    const keys: NamespaceKeys = createNamespaceKeys({
      db: database.db,
      sidecar: { makeKey } as SidecarClient,
      macKey: key,
      serverSet: async () => set,
      now,
      log: silent,
    });
    return { keys, made };
  }
  const newTag = () => randomBytes(16);

  test('create one pair and keep it, also for the next process', async () => {
    const [account, tag, first, second] = [newAccount(), newTag(), relayer(), relayer()];
    const key = await first.keys.current(account, tag);
    expect(key.wraps.map(({ type, bytes }) => [type, bytes.length])).toEqual([
      [1, 404],
      [2, 112],
    ]);
    expect(await first.keys.current(account, tag)).toEqual(key);
    expect(await second.keys.current(account, tag)).toEqual(key);
    expect([first.made.length, second.made.length]).toEqual([1, 0]);
  });

  test('use the same pair for concurrent writers, in one process and in two', async () => {
    const [account, tag, first, second] = [newAccount(), newTag(), relayer(), relayer()];
    const keys = await Promise.all(
      [first, second, first, second].map(({ keys: each }) => each.current(account, tag)),
    );
    expect(new Set(keys.map(({ recipientPk }) => recipientPk.toString('hex'))).size).toBe(1);
    expect(first.made.length + second.made.length).toBeLessThanOrEqual(2);
    const { rows } = await database.db.query('SELECT 1 FROM namespace_key WHERE account_id = $1', [
      hexToBytes(account.accountId),
    ]);
    expect(rows.length).toBe(1);
  });

  test('use a separate pair for another account, namespace, epoch, server set or half-year', async () => {
    const [account, tag, usual] = [newAccount(), newTag(), relayer()];
    const pairs = [
      await usual.keys.current(account, tag),
      await usual.keys.current(newAccount(), tag),
      await usual.keys.current(account, newTag()),
      await usual.keys.current({ ...account, keyEpoch: 1 }, tag),
      await relayer({ set: 'set-2' }).keys.current(account, tag),
      await relayer({ now: () => Date.now() + 181 * day }).keys.current(account, tag),
    ];
    expect(new Set(pairs.map(({ recipientPk }) => recipientPk.toString('hex'))).size).toBe(pairs.length);
  });

  test.each([
    ['another public key', 'recipient_pk', randomBytes(32)],
    ['other wraps', 'wraps', Buffer.from([0])],
    ['another MAC', 'mac', randomBytes(32)],
    ['a MAC cut short', 'mac', randomBytes(5)],
  ])('reject a row with %s, and do not replace it', async (_what, column, value) => {
    const [account, tag] = [newAccount(), newTag()];
    await relayer().keys.current(account, tag);
    await database.db.query(`UPDATE namespace_key SET ${column} = $1 WHERE account_id = $2`, [
      value,
      hexToBytes(account.accountId),
    ]);
    const next = relayer();
    await expect(next.keys.current(account, tag)).rejects.toMatchObject({ code: 'internal_error' });
    expect(next.made).toEqual([]);
  });

  test('reject a row that was copied from another namespace, or written under another key', async () => {
    const [account, tag, other] = [newAccount(), newTag(), newTag()];
    await relayer().keys.current(account, tag);
    await database.db.query(
      `INSERT INTO namespace_key SELECT account_id, $1, key_epoch, server_set, recipient_pk, wraps, mac, period
       FROM namespace_key WHERE account_id = $2`,
      [other, hexToBytes(account.accountId)],
    );
    const refused = { code: 'internal_error' };
    await expect(relayer().keys.current(account, other)).rejects.toMatchObject(refused);
    await expect(relayer({ key: randomBytes(32) }).keys.current(account, tag)).rejects.toMatchObject(refused);
  });

  test('do not cache a failure, and store nothing from a sidecar with other key servers', async () => {
    const [account, tag] = [newAccount(), newTag()];
    const changed = relayer({ sidecarSet: 'set-of-another' });
    for (const _attempt of [1, 2])
      await expect(changed.keys.current(account, tag)).rejects.toMatchObject({ code: 'sidecar_unavailable' });
    expect(changed.made.length).toBe(2);
    expect(await relayer().keys.current(account, tag)).toMatchObject({ recipientPk: expect.any(Buffer) });
  });
});
