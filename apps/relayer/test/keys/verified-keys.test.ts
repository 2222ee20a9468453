import { randomBytes } from 'node:crypto';
import { newEnvelopeId } from '@memrelay/envelope/envelope-id';
import { envelopeKind } from '@memrelay/envelope/header';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { sealEnvelope } from '@memrelay/envelope/seal-envelope';
import type { Wrap } from '@memrelay/envelope/wraps';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import { wrapsColumn } from '../../src/keys/namespace-keys.ts';
import { createVerifiedKeys } from '../../src/keys/verified-keys.ts';
import { databases, type TestDb } from '../support/databases.ts';

const silent = pino({ enabled: false });
const namespace = 'default';
const newWraps = (): Wrap[] => [{ type: 1, bytes: randomBytes(404) }];

describe.each(databases)('verified namespace keys on $name', ({ create }) => {
  let database: TestDb;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());

  /** A pair with its row, and envelopes sealed to it. */
  async function pair() {
    const [accountId, origin] = [randomBytes(32), randomBytes(32)];
    const tag = Buffer.from(namespaceTag(nodePrimitives, origin, namespace));
    const recipientPk = Buffer.from(nodePrimitives.x25519PublicKey(randomBytes(32)));
    const wraps = newWraps();
    await database.db.query(
      `INSERT INTO namespace_key (account_id, tag, key_epoch, server_set, period, recipient_pk, wraps, mac)
       VALUES ($1, $2, 3, 'set', 1, $3, $4, $5)`,
      [accountId, tag, recipientPk, wrapsColumn(wraps), randomBytes(32)],
    );
    const envelope = (more: { wraps?: Wrap[]; keyEpoch?: bigint } = {}): Buffer =>
      Buffer.from(
        sealEnvelope(nodePrimitives, {
          kind: envelopeKind.memory,
          origin,
          namespace,
          keyEpoch: 3n,
          envelopeId: newEnvelopeId(nodePrimitives),
          recipientPk,
          wraps,
          meta: { created_at: new Date().toISOString() },
          text: 'x',
          signer: randomBytes(32),
          ...more,
        }),
      );
    const verifiedAt = async (): Promise<Date | null> => {
      const { rows } = await database.db.query<{ verified_at: Date | null }>(
        'SELECT verified_at FROM namespace_key WHERE account_id = $1',
        [accountId],
      );
      return rows[0]!.verified_at;
    };
    return { accountId, envelope, verifiedAt };
  }

  /** Counts the statements, and can be made to fail. */
  function counted(): { db: Db; state: { statements: number; fails: boolean }; idle(): Promise<void> } {
    const state = { statements: 0, fails: false };
    let last: Promise<unknown> = Promise.resolve();
    const query: Db['query'] = async (sql, params) => {
      state.statements += 1;
      if (state.fails) throw new Error('away');
      const running = database.db.query(sql, params);
      last = running;
      return (await running) as never;
    };
    return { db: { ...database.db, query }, state, idle: async () => void (await last) };
  }

  test('marks a pair at the first read that opened its wrap, once', async () => {
    const { accountId, envelope, verifiedAt } = await pair();
    const { db, state, idle } = counted();
    const keys = createVerifiedKeys(db, silent);
    expect(await verifiedAt()).toBeNull();
    keys.mark(accountId, [envelope(), envelope()]);
    await expect.poll(verifiedAt).toBeInstanceOf(Date);
    const first = await verifiedAt();
    keys.mark(accountId, [envelope()]);
    expect(state.statements).toBe(1);
    // The next process checks again, and leaves the time unchanged
    createVerifiedKeys(db, silent).mark(accountId, [envelope()]);
    await idle();
    expect(state.statements).toBe(2);
    expect(await verifiedAt()).toEqual(first);
  });

  test('marks nothing for another account, epoch or wrap', async () => {
    const { accountId, envelope, verifiedAt } = await pair();
    const { db, state, idle } = counted();
    const keys = createVerifiedKeys(db, silent);
    keys.mark(randomBytes(32), [envelope()]);
    keys.mark(accountId, [envelope({ keyEpoch: 2n })]);
    keys.mark(accountId, [envelope({ wraps: newWraps() })]);
    await idle();
    expect(state.statements).toBe(3);
    expect(await verifiedAt()).toBeNull();
    keys.mark(accountId, [envelope()]);
    await expect.poll(verifiedAt).toBeInstanceOf(Date);
  });

  test('writes a mark that failed at the next read', async () => {
    const { accountId, envelope, verifiedAt } = await pair();
    const { db, state } = counted();
    const keys = createVerifiedKeys(db, silent);
    state.fails = true;
    keys.mark(accountId, [envelope()]);
    state.fails = false;
    await expect
      .poll(async () => {
        keys.mark(accountId, [envelope()]);
        return verifiedAt();
      })
      .toBeInstanceOf(Date);
  });
});
