import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readPastWriters, recordPastDelegates } from '../../src/accounts/rows/past-delegates.ts';
import { BlobReadError } from '../../src/blobs/aggregator-reads.ts';
import { type RestoreFailure, scanChain } from '../../src/upkeep/restore/scan-chain.ts';
import {
  currentScan,
  saveEnvelopes,
  savePage,
  saveUnreadBlob,
  unknownBlobs,
} from '../../src/upkeep/rows/chain-scan-rows.ts';
import {
  candidates,
  countFound,
  markIndexed,
  saveHeader,
  saveOutcome,
  saveUnreadPatch,
  trustName,
  unknownPatches,
} from '../../src/upkeep/rows/restore-rows.ts';
import { saveForgotten, saveRestored } from '../../src/upkeep/rows/save-restored.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { indexedCandidate } from '../support/indexed-candidate.ts';

/** What a restore saves about the blobs found on chain. */

const memory = 1;
const owner = `0x${'ab'.repeat(32)}`;
const later = new Date(Date.now() + 3_600_000);

describe.each(databases)('on $name', ({ create }) => {
  let opened: TestDb;
  let accountId: Buffer;
  let tag: Buffer;
  beforeAll(async () => {
    opened = await create();
  });
  afterAll(() => opened?.drop());
  beforeEach(() => {
    accountId = randomBytes(32);
    tag = randomBytes(16);
  });
  const namespace = () => ({ accountId, namespace: 'n', tag });

  const object = (blob_id: string, certified_epoch: number, end_epoch = 50) => ({
    object_id: `0x${randomBytes(32).toString('hex')}`,
    blob_id,
    size: 1_500,
    end_epoch,
    certified_epoch,
  });
  const saw = (...blobs: ReturnType<typeof object>[]) => savePage(opened.db, accountId, { epoch: 5, blobs });
  /** A blob that contains one envelope */
  async function insertFound(
    blobId: string,
    envelopeId: Buffer,
    certified: number,
    kind = memory,
  ): Promise<void> {
    await currentScan(opened.db, accountId, owner);
    await saw(object(blobId, certified));
    const header = { kind, recipientPk: randomBytes(32), wraps: undefined };
    await saveEnvelopes(opened.db, accountId, blobId, [{ storedAs: blobId, tag, envelopeId, header }]);
  }
  const next = (options: { trust?: string; before?: Date } = {}) =>
    candidates(opened.db, namespace(), {
      kind: memory,
      before: later,
      trust: 'today',
      limit: 10,
      ...options,
    });
  const restored = async (
    storedAs: string,
    envelopeId: Buffer,
    more: { importance?: number; createdAt?: string } = {},
    where = namespace(),
  ) => (await saveRestored(opened.db, where, [indexedCandidate(storedAs, envelopeId, more)])).length === 1;

  test('reads the earliest certified of several blobs with one envelope id', async () => {
    const envelopeId = randomBytes(16);
    await insertFound('a'.repeat(43), envelopeId, 9);
    await insertFound('b'.repeat(43), envelopeId, 3);
    await insertFound('c'.repeat(43), envelopeId, 7);
    expect((await next()).map(({ storedAs }) => storedAs)).toEqual(['b'.repeat(43)]);
    expect(await countFound(opened.db, namespace(), 'today')).toMatchObject({
      total: 1,
      settled: 0,
      untried: 1,
    });
    // One with wrong contents gives way to the next
    await saveOutcome(opened.db, accountId, ['b'.repeat(43)], 'unverified', 'today');
    expect((await next()).map(({ storedAs }) => storedAs)).toEqual(['c'.repeat(43)]);
  });

  test('does not read indexed or forgotten memories again, and counts them as settled', async () => {
    const [indexed, forgotten, left] = [randomBytes(16), randomBytes(16), randomBytes(16)];
    await insertFound('a'.repeat(43), indexed, 1);
    await insertFound('b'.repeat(43), forgotten, 2);
    await insertFound('c'.repeat(43), left, 3);
    expect(await restored('a'.repeat(43), indexed)).toBe(true);
    expect(await restored('a'.repeat(43), indexed)).toBe(false);
    await saveForgotten(opened.db, namespace(), [forgotten.toString('hex')]);
    expect(await restored('b'.repeat(43), forgotten)).toBe(false);
    expect((await next()).map(({ storedAs }) => storedAs)).toEqual(['c'.repeat(43)]);
    expect(await countFound(opened.db, namespace(), 'today')).toEqual({
      total: 3,
      settled: 2,
      unverified: 0,
      untried: 1,
    });
    const { rows } = await opened.db.query<{ blob_id: string }>(
      'SELECT blob_id FROM forgotten_memory WHERE account_id = $1',
      [accountId],
    );
    // The owner still has it: it is listed for deletion
    expect(rows).toEqual([{ blob_id: 'b'.repeat(43) }]);
  });

  test('a memory in another namespace with the same envelope id does not prevent a restore', async () => {
    const envelopeId = randomBytes(16);
    await opened.db.query(
      `INSERT INTO memory (account_id, id, namespace, state, blob_id, envelope_id, envelope_sha256, size)
       VALUES ($1, $2, 'other', 'done', $3, $4, $5, 9)`,
      [accountId, randomUUID(), 'z'.repeat(43), envelopeId, randomBytes(32)],
    );
    await insertFound('a'.repeat(43), envelopeId, 1);
    const patch = { storedAs: 'p'.repeat(50), tag, envelopeId };
    await saw(object('q'.repeat(43), 2));
    await saveEnvelopes(opened.db, accountId, 'q'.repeat(43), [patch]);
    await markIndexed(opened.db, namespace());
    expect(await unknownPatches(opened.db, namespace(), later, 10)).toHaveLength(1);
    expect(await countFound(opened.db, namespace(), 'today')).toMatchObject({ settled: 0, untried: 1 });
    expect(await next()).toHaveLength(1);
    expect(await restored('a'.repeat(43), envelopeId)).toBe(true);
    // Nor does one that was restored there earlier
    const elsewhere = { accountId, namespace: 'third', tag: randomBytes(16) };
    expect(await restored('b'.repeat(43), envelopeId, {}, elsewhere)).toBe(true);
    expect(await restored('b'.repeat(43), envelopeId, {}, elsewhere)).toBe(false);
    expect(await countFound(opened.db, namespace(), 'today')).toMatchObject({ settled: 1, untried: 0 });
  });

  test('tries failed envelopes after new ones, and once per call', async () => {
    await insertFound('a'.repeat(43), randomBytes(16), 1);
    await insertFound('b'.repeat(43), randomBytes(16), 2);
    await saveOutcome(opened.db, accountId, ['a'.repeat(43)], 'failed', 'unreadable');
    expect((await next()).map(({ storedAs }) => storedAs)).toEqual(['b'.repeat(43), 'a'.repeat(43)]);
    const duringThisCall = { before: new Date(Date.now() - 60_000) };
    expect((await next(duringThisCall)).map(({ storedAs }) => storedAs)).toEqual(['b'.repeat(43)]);
  });

  test('an envelope without a trusted signature waits until its signer is named', async () => {
    await insertFound('a'.repeat(43), randomBytes(16), 1);
    await saveOutcome(opened.db, accountId, ['a'.repeat(43)], 'unverified', 'today');
    expect(await next()).toEqual([]);
    expect(await countFound(opened.db, namespace(), 'today')).toEqual({
      total: 0,
      settled: 0,
      unverified: 1,
      untried: 0,
    });
    expect((await next({ trust: 'others' })).length).toBe(1);
    // Work remains, however many calls it takes
    expect(await countFound(opened.db, namespace(), 'others')).toMatchObject({ untried: 1 });
    expect(trustName(['b', 'a', 'b'])).toBe(trustName(['a', 'b']));
    expect(trustName(['a'])).not.toBe(trustName(['a', 'b']));
  });

  test('a tombstone removes indexed memories of its namespace only', async () => {
    const envelopeId = randomBytes(16);
    await insertFound('a'.repeat(43), envelopeId, 1);
    expect(await restored('a'.repeat(43), envelopeId)).toBe(true);
    const applyTombstone = (where: ReturnType<typeof namespace>) =>
      saveForgotten(opened.db, where, [envelopeId.toString('hex')]);
    const count = async (table: string) =>
      (await opened.db.query(`SELECT 1 FROM ${table} WHERE account_id = $1`, [accountId])).rows.length;
    expect(await applyTombstone({ accountId, tag: randomBytes(16), namespace: 'other' })).toEqual([]);
    expect([await count('memory'), await count('memory_vector'), await count('known_text')]).toEqual([
      1, 1, 1,
    ]);
    expect(await applyTombstone(namespace())).toEqual(['a'.repeat(43)]);
    expect([await count('memory'), await count('memory_vector'), await count('known_text')]).toEqual([
      0, 0, 0,
    ]);
    expect(await next()).toEqual([]);
    expect(await restored('a'.repeat(43), envelopeId)).toBe(false);
    expect(await count('known_text')).toBe(0);
    expect(await applyTombstone(namespace())).toEqual([]);
  });

  test('restores a memory that a tombstone of another namespace names', async () => {
    const envelopeId = randomBytes(16);
    await insertFound('a'.repeat(43), envelopeId, 1);
    const elsewhere = { accountId, tag: randomBytes(16), namespace: 'other' };
    await saveForgotten(opened.db, elsewhere, [envelopeId.toString('hex')]);
    expect((await next()).length).toBe(1);
    expect(await restored('a'.repeat(43), envelopeId)).toBe(true);
  });

  test.each([1e39, -1e300, 1e-60])(
    "saves an importance of %d within the column's range",
    async (importance) => {
      const envelopeId = randomBytes(16);
      await insertFound('a'.repeat(43), envelopeId, 1);
      expect(await restored('a'.repeat(43), envelopeId, { importance })).toBe(true);
    },
  );

  test.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00+23:59'])(
    "saves the time %s within the column's range",
    async (createdAt) => {
      const envelopeId = randomBytes(16);
      await insertFound('a'.repeat(43), envelopeId, 1);
      expect(await restored('a'.repeat(43), envelopeId, { createdAt })).toBe(true);
      const { rows } = await opened.db.query<{ created_at: Date }>(
        'SELECT created_at FROM memory WHERE account_id = $1',
        [accountId],
      );
      expect(rows[0]!.created_at.toISOString()).toMatch(/^\d{4}-/);
    },
  );

  test('never reads a patch that does not match its quilt', async () => {
    await currentScan(opened.db, accountId, owner);
    await saw(object('q'.repeat(43), 1));
    const patch = { storedAs: 'p'.repeat(50), tag, envelopeId: randomBytes(16) };
    await saveEnvelopes(opened.db, accountId, 'q'.repeat(43), [patch]);
    await saveHeader(opened.db, accountId, patch.storedAs, undefined);
    expect(await next()).toEqual([]);
  });

  test('a scan continues where it stopped, keeps what is known and drops what the owner no longer has', async () => {
    const [kept, gone] = ['k'.repeat(43), 'g'.repeat(43)];
    await currentScan(opened.db, accountId, owner);
    await savePage(opened.db, accountId, { epoch: 5, blobs: [object(kept, 4, 20)], cursor: 'second' });
    expect(await currentScan(opened.db, accountId, owner)).toMatchObject({ cursor: 'second', ended: false });
    await saw(object(gone, 4), object('expired'.padEnd(43, 'x'), 1, 5), object(kept, 2, 30));
    expect(await currentScan(opened.db, accountId, owner)).toMatchObject({ ended: true });
    const unknown = await unknownBlobs(opened.db, accountId, later, 10);
    expect(unknown.map(({ blobId }) => blobId)).toEqual([gone, kept]);
    for (const blobId of [kept, gone]) await saveEnvelopes(opened.db, accountId, blobId, []);
    // Another owner's objects are scanned separately
    await currentScan(opened.db, accountId, `0x${'cd'.repeat(32)}`);
    await saw(object(kept, 4, 25));
    expect(await unknownBlobs(opened.db, accountId, later, 10)).toEqual([]);
    const { rows } = await opened.db.query(
      'SELECT blob_id, end_epoch, certified_epoch FROM chain_blob WHERE account_id = $1',
      [accountId],
    );
    expect(rows).toEqual([{ blob_id: kept, end_epoch: 30, certified_epoch: 2 }]);
  });

  test('an empty blob is checked again after a day, because an aggregator may have been wrong', async () => {
    const [own, strange] = ['o'.repeat(43), 's'.repeat(43)];
    await insertFound(own, randomBytes(16), 4);
    await saw(object(own, 4), object(strange, 4));
    await saveEnvelopes(opened.db, accountId, strange, []);
    const unknown = async () =>
      (await unknownBlobs(opened.db, accountId, later, 10)).map(({ blobId }) => blobId);
    const lookAgain = async () => {
      await opened.db.query("UPDATE chain_look SET ended_at = now() - interval '1 hour'");
      await currentScan(opened.db, accountId, owner);
      await saw(object(own, 4), object(strange, 4));
    };
    await lookAgain();
    expect(await unknown()).toEqual([]);
    await opened.db.query("UPDATE chain_blob SET tried_at = now() - interval '25 hours'");
    await lookAgain();
    expect(await unknown()).toEqual([strange]);
  });

  test('tries unreadable blobs after new ones, so that calls make progress', async () => {
    await currentScan(opened.db, accountId, owner);
    const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(43));
    await saw(...ids.map((id) => object(id, 4)));
    await saveUnreadBlob(opened.db, accountId, ids[0]!);
    const order = async (before: Date) =>
      (await unknownBlobs(opened.db, accountId, before, 10)).map(({ blobId, tried }) => [blobId[0], tried]);
    expect(await order(later)).toEqual([
      ['b', false],
      ['c', false],
      ['a', true],
    ]);
    // Once per call
    expect((await order(new Date(0))).length).toBe(2);
    const patches = ['p', 'q'].map((letter) => ({
      storedAs: letter.repeat(50),
      tag,
      envelopeId: randomBytes(16),
    }));
    await saveEnvelopes(opened.db, accountId, ids[1]!, patches);
    await saveUnreadPatch(opened.db, accountId, patches[0]!.storedAs);
    const left = await unknownPatches(opened.db, namespace(), later, 10);
    expect(left.map(({ storedAs, tried }) => [storedAs[0], tried])).toEqual([
      ['q', false],
      ['p', true],
    ]);
    const header = { kind: memory, recipientPk: randomBytes(32), wraps: undefined };
    for (const { storedAs } of patches) await saveHeader(opened.db, accountId, storedAs, header);
    expect((await next()).length).toBe(2);
  });

  test('after the deadline, a scan is complete if only failed entries are left', async () => {
    const blobs = [object('a'.repeat(43), 4), object('b'.repeat(43), 4)];
    const reads: string[] = [];
    const sources = {
      db: opened.db,
      sidecar: { ownedBlobs: async () => ({ epoch: 5, blobs }) },
      aggregators: {
        readStart: async (blobId: string) => {
          reads.push(blobId);
          throw new BlobReadError('unavailable');
        },
      },
    };
    const id = `0x${accountId.toString('hex')}`;
    const look = async (deadline: number) => {
      const failed: RestoreFailure[] = [];
      const { rows } = await opened.db.query<{ now: Date }>('SELECT now() AS now');
      const account = { accountId: id, origin: id, owner } as never;
      const limits = { deadline, before: rows[0]!.now };
      const through = await scanChain(sources as never, account, namespace(), limits, failed);
      return { through, failed: failed.length };
    };
    expect(await look(performance.now() + 60_000)).toEqual({ through: true, failed: 2 });
    expect(await look(0)).toEqual({ through: true, failed: 0 });
    expect(reads.length).toBe(2);
    await saw(...blobs, object('c'.repeat(43), 4));
    expect(await look(0)).toEqual({ through: false, failed: 0 });
    expect(await look(performance.now() + 60_000)).toEqual({ through: true, failed: 3 });
  });

  test('remembers delegates that once had WRITE', async () => {
    const account_id = `0x${accountId.toString('hex')}`;
    const added = (perms: number) => ({
      name: 'DelegateKeyAdded' as const,
      account_id,
      public_key: Array.from(randomBytes(32)) as never,
      address: `0x${randomUUID().replaceAll('-', '').repeat(2)}`,
      label: '',
      proven: true,
      scope: { perms, all_namespaces: true, tags: [], min_epoch: '0', expires_at_ms: '0' } as never,
      key_epoch: '0' as never,
    });
    const [reader, writer, promoted] = [added(1), added(3), added(1)];
    const { address, scope } = { ...promoted, scope: added(7).scope };
    const changed = {
      name: 'DelegateScopeChanged' as const,
      account_id,
      address,
      scope,
      key_epoch: '0' as never,
    };
    // A page comes again after a failure
    for (const _ of [1, 2]) await recordPastDelegates(opened.db, [reader, writer, promoted, changed]);
    const hex = (bytes: Iterable<number>): string => Buffer.from([...bytes]).toString('hex');
    const expected = [writer, promoted].map(({ public_key }) => hex(public_key)).sort();
    // A writer of another namespace is trusted only there
    const places = { all_namespaces: false, tags: [Array.from(tag)] as never };
    const local = { ...added(3), scope: { ...(added(3).scope as object), ...places } as never };
    await recordPastDelegates(opened.db, [local]);
    const there = await readPastWriters(opened.db, account_id, tag);
    expect(there.sort()).toEqual([...expected, hex(local.public_key)].sort());
    expect((await readPastWriters(opened.db, account_id, randomBytes(16))).sort()).toEqual(expected);
  });
});
