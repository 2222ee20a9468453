import { randomBytes } from 'node:crypto';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import { auditHash, auditHeadMessage } from '@memrelay/protocol/audit-chain';
import { type AuditChain, checkAudit, seenHeadOf } from '@memrelay/protocol/audit-check';
import { canonicalJson } from '@memrelay/protocol/canonical-json';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/accounts/caller.ts';
import { type AuditedAction, createAuditLog } from '../../src/audit/audit-log.ts';
import { readAudit } from '../../src/memories/lists/read-audit.ts';
import { silent } from '../support/auth-app.ts';
import { databases, type TestDb } from '../support/databases.ts';

const writerKey = randomBytes(32);
const audit = createAuditLog([writerKey], silent);
const rotated: AuditedAction = { action: 'account.key_epoch_rotated', actor: `0x${'ab'.repeat(32)}` };
const forgotten = (count: number): AuditedAction => ({
  action: 'memories.forgotten',
  actor: 'cd'.repeat(32),
  detail: { reason: 'request', count, ids: ['722fdc0e-7ca0-4868-9f2d-e284a9bf725c'] },
});

describe.each(databases)('the audit log of an account, on $name', ({ create }) => {
  let tables: TestDb;
  let accountId: Buffer;
  beforeAll(async () => {
    tables = await create();
  });
  beforeEach(() => {
    accountId = randomBytes(32);
  });
  afterAll(() => tables.drop());

  const append = (...actions: AuditedAction[]) =>
    tables.db.transaction((tx) => audit.append(tx, accountId, ...actions));
  const check = (chain: AuditChain, seen?: AuditChain) =>
    checkAudit(chain, nodePrimitives.ed25519Verify, seen && seenHeadOf(seen.head));
  const problemsOf = async (seen?: AuditChain) => check(await readAll(), seen).map(({ kind }) => kind);
  const change = (sql: string, ...params: Buffer[]) => tables.db.query(sql, [accountId, ...params]);

  async function readAll(limit = 100, log = audit): Promise<AuditChain> {
    const entries: AuditChain['entries'][number][] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await log.read(tables.db, accountId, { cursor, limit });
      entries.push(...page.entries);
      cursor = page.next_cursor;
      if (cursor === undefined) return { entries, head: page.head };
    }
  }

  test('is empty and signed before anything is recorded', async () => {
    const { entries, head } = await readAll();
    expect([entries, head.seq, head.signatures.length]).toEqual([[], 0, 1]);
    expect(check({ entries, head })).toEqual([]);
  });

  test('has an unbroken chain after concurrent writers, read in pages of any size', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, i) => append(forgotten(i), rotated)));
    for (const limit of [1, 7, 24, 100]) {
      const chain = await readAll(limit);
      expect(chain.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 24 }, (_, i) => i + 1));
      expect(check(chain)).toEqual([]);
    }
    const counts = (await readAll()).entries.flatMap(({ detail }) => detail?.count ?? []);
    expect(counts.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 12 }, (_, i) => i));
  });

  test('keeps nothing of a transaction that is rolled back', async () => {
    await append(rotated);
    const before = await readAll();
    const failing = tables.db.transaction(async (tx) => {
      await audit.append(tx, accountId, forgotten(1));
      throw new Error('the work failed');
    });
    await expect(failing).rejects.toThrow('the work failed');
    expect((await readAll()).entries).toEqual(before.entries);
    await append(forgotten(2));
    expect(await problemsOf(before)).toEqual([]);
  });

  test('records a chain event once', async () => {
    const event = { ...rotated, source: 'digest/0' };
    await append(event, { ...rotated, source: 'digest/1' });
    await Promise.all([append(event), append(event, forgotten(1))]);
    expect((await readAll()).entries.map(({ action }) => action)).toEqual([
      'account.key_epoch_rotated',
      'account.key_epoch_rotated',
      'memories.forgotten',
    ]);
    expect(await problemsOf()).toEqual([]);
  });

  describe('that someone with access to the database changed', () => {
    let seen: AuditChain;
    beforeEach(async () => {
      await append(forgotten(1), forgotten(2), forgotten(3), rotated);
      seen = await readAll();
      await append(forgotten(5));
    });

    test('is in order before', async () => {
      expect(await problemsOf(seen)).toEqual([]);
    });

    test.each([
      [
        'content',
        `UPDATE audit_entry SET content = replace(content, '"count":2', '"count":9') WHERE account_id = $1`,
      ],
      [
        'time',
        `UPDATE audit_entry SET content = replace(content, '"at":"20', '"at":"19') WHERE account_id = $1 AND seq = 2`,
      ],
      [
        'actor',
        `UPDATE audit_entry SET content = replace(content, 'cdcd', 'abab') WHERE account_id = $1 AND seq = 3`,
      ],
      ['bytes that are no JSON', `UPDATE audit_entry SET content = 'gone' WHERE account_id = $1 AND seq = 3`],
    ])('shows a changed %s', async (_what, sql) => {
      await change(sql);
      expect(await problemsOf()).toContain('changed');
    });

    test('shows removed entries, at the beginning, in the middle and at the end', async () => {
      for (const seq of [1, 3]) {
        await change(`UPDATE audit_entry SET seq = -seq WHERE account_id = $1 AND seq = ${seq}`);
        expect(await problemsOf()).toContain('order');
        await change('UPDATE audit_entry SET seq = abs(seq) WHERE account_id = $1');
      }
      await change('DELETE FROM audit_entry WHERE account_id = $1 AND seq = 5');
      expect(await problemsOf()).toEqual(['unsigned', 'incomplete']);
    });

    test('shows entries in another order', async () => {
      await change('UPDATE audit_entry SET seq = -(5 - seq) WHERE account_id = $1 AND seq IN (2, 3)');
      await change('UPDATE audit_entry SET seq = -seq WHERE account_id = $1 AND seq < 0');
      expect(await problemsOf()).toContain('changed');
    });

    test('shows a log that was cut off together with its head, to a client that saw more', async () => {
      await change('DELETE FROM audit_entry WHERE account_id = $1 AND seq > 3');
      await change(
        `UPDATE audit_head SET seq = 3, hash = (SELECT hash FROM audit_entry WHERE account_id = $1 AND seq = 3)
         WHERE account_id = $1`,
      );
      expect(await problemsOf()).toEqual([]);
      expect(await problemsOf(seen)).toEqual(['truncated']);
      await append(rotated, rotated);
      expect(await problemsOf(seen)).toEqual(['rewritten']);
    });

    test('shows a log that was removed entirely, to a client that saw it', async () => {
      await change('DELETE FROM audit_entry WHERE account_id = $1');
      await change('DELETE FROM audit_head WHERE account_id = $1');
      expect(await problemsOf(seen)).toEqual(['truncated']);
    });

    test('shows a forged entry with a correct hash, also to a new client', async () => {
      const { entries, head } = await readAll();
      const { account_id } = head;
      for (const stolen of [writerKey, randomBytes(32)]) {
        const at = new Date().toISOString();
        const content = canonicalJson({ at, action: 'memories.exported' });
        const hash = auditHash(entries[4]!.hash, 6, content);
        const signed = { account_id, seq: 6, hash, signed_at: at };
        const ownKey = randomBytes(32);
        const signature = nodePrimitives.ed25519Sign(ownKey, auditHeadMessage(signed));
        const publicKey = nodePrimitives.ed25519PublicKey(stolen);
        await change('DELETE FROM audit_entry WHERE account_id = $1 AND seq = 6');
        await change(
          `INSERT INTO audit_entry (account_id, seq, content, hash, writer_key, signature)
           VALUES ($1, 6, '${content}', $2, $3, $4)`,
          Buffer.from(hash, 'hex'),
          Buffer.from(publicKey),
          Buffer.from(signature),
        );
        await change(
          'UPDATE audit_head SET seq = 6, hash = $2 WHERE account_id = $1',
          Buffer.from(hash, 'hex'),
        );
        expect(await problemsOf()).toEqual(['unsigned', 'forged']);
      }
    });

    test('shows a copy of the log of another account', async () => {
      const other = randomBytes(32);
      await change(
        'INSERT INTO audit_head SELECT $2, seq, hash FROM audit_head WHERE account_id = $1',
        other,
      );
      await change(
        `INSERT INTO audit_entry SELECT $2, seq, content, hash, writer_key, signature, source
         FROM audit_entry WHERE account_id = $1`,
        other,
      );
      accountId = other;
      expect(await problemsOf()).toEqual(['unsigned', 'changed', 'forged']);
    });
  });

  test('is signed by each writer key, so that clients follow a rotation', async () => {
    await append(forgotten(1));
    const before = await readAll();
    const newKey = randomBytes(32);
    const later = createAuditLog([newKey, writerKey], silent);
    await tables.db.transaction((tx) => later.append(tx, accountId, rotated));
    const after = await readAll(100, later);
    expect(after.head.signatures).toHaveLength(2);
    expect(check(after, before)).toEqual([]);
    const withoutOld = await readAll(100, createAuditLog([newKey], silent));
    expect(check(withoutOld, before).map(({ kind }) => kind)).toEqual(['other_relayer']);
    expect(check(withoutOld, after)).toEqual([]);
  });

  test('is read by keys with READ in all namespaces only', async () => {
    const caller = (scope: object): Caller =>
      ({
        account: { accountId: `0x${accountId.toString('hex')}`, keyEpoch: 0 },
        delegate: {
          scope: { perms: 1, allNamespaces: true, tags: [], minEpoch: 0, expiresAtMs: 0, ...scope },
        },
      }) as unknown as Caller;
    await append(rotated);
    const read = (scope: object) => readAudit({ db: tables.db, audit }, caller(scope), { limit: 10 });
    expect((await read({})).entries).toHaveLength(1);
    for (const scope of [{ allNamespaces: false, tags: ['00'.repeat(16)] }, { perms: 6 }])
      await expect(read(scope)).rejects.toMatchObject({ code: 'insufficient_scope' });
    await expect(read({ expiresAtMs: 1 })).rejects.toMatchObject({ code: 'delegate_expired' });
  });
});
