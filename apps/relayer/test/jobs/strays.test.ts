import { randomBytes, randomUUID } from 'node:crypto';
import type { StoreObject, StoreObjectsRequest } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../src/base/db/db.ts';
import { insertJobs } from '../../src/jobs/rows/accept-jobs.ts';
import { deleteMemories } from '../../src/jobs/rows/forget-rows.ts';
import { forgottenObjects } from '../../src/jobs/rows/forgotten-objects.ts';
import { releaseQuilts } from '../../src/jobs/rows/shared-quilts.ts';
import { dueStrayChecks, scheduleStrayCheck } from '../../src/jobs/rows/stray-checks.ts';
import {
  type KnownBlobs,
  listStrays,
  noteBrokenOff,
  readKnownBlobs,
} from '../../src/jobs/rows/stray-rows.ts';
import { findStrays } from '../../src/jobs/strays/find-strays.ts';
import { startStrays } from '../../src/jobs/strays/start-strays.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { newId, type StoredMemory, storeMemory } from '../support/stored-memories.ts';

const newBlob = (): string => randomBytes(32).toString('base64url');
const object = (blob_id: string, more: Partial<StoreObject> = {}): StoreObject => ({
  object_id: newId(),
  blob_id,
  end_epoch: 60,
  certified: true,
  ...more,
});
const nothing: KnownBlobs = {
  objects: new Set(),
  needed: new Map(),
  underWay: new Set(),
  forgotten: new Set(),
  replaced: new Set(),
};

describe('among the objects of an owner', () => {
  const blob = newBlob();
  const [first, second] = [object(blob), object(blob)];

  test('a second object of a needed blob is extra, and the one that the memory names stays', () => {
    const known = { ...nothing, needed: new Map([[blob, 60]]), objects: new Set([second.object_id]) };
    const stray = { objectId: first.object_id, blobId: blob, reason: 'paid_twice' };
    expect(findStrays([first, second], known)).toEqual([stray]);
    expect(findStrays([second], known)).toEqual([]);
  });

  test('the certified object with the longest lifetime stays if none is named, in every scan', () => {
    const known = { ...nothing, needed: new Map([[blob, 0]]) };
    const longest = object(blob, { end_epoch: 70 });
    const halfDone = object(blob, { end_epoch: 90, certified: false });
    for (const ownedObjects of [
      [first, longest, halfDone],
      [halfDone, longest, first],
    ])
      expect(findStrays(ownedObjects, known).map(({ objectId }) => objectId)).not.toContain(
        longest.object_id,
      );
    expect(findStrays([first, second], known)).toEqual(findStrays([second, first], known));
  });

  test('an object that ends before the blob does was renewed, and one of a running upload is not extra', () => {
    const listed = object(blob, { end_epoch: 90 });
    const known = { ...nothing, needed: new Map([[blob, 90]]), objects: new Set([listed.object_id]) };
    expect(findStrays([first, listed], known)).toEqual([]);
    expect(findStrays([first, second], { ...known, underWay: new Set([blob]) })).toEqual([]);
  });

  test('an object of a forgotten or repacked blob is extra, and one of an unknown blob is ignored', () => {
    expect(findStrays([first], { ...nothing, forgotten: new Set([blob]) })).toMatchObject([
      { reason: 'forgotten' },
    ]);
    expect(findStrays([first], { ...nothing, replaced: new Set([blob]) })).toMatchObject([
      { reason: 'paid_twice' },
    ]);
    expect(findStrays([first, second], nothing)).toEqual([]);
  });
});

describe.each(databases)('orphaned objects on $name', ({ create }) => {
  let database: TestDb;
  const ownedObjects = new Map<string, StoreObject[]>();
  const silent = pino({ enabled: false });
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());

  const ownerOf = (accountId: Buffer): string => `0x${accountId.toString('hex')}`;

  /** One round, with every scheduled scan due now. */
  async function look(): Promise<void> {
    const round = async (): Promise<void> => {
      await database.db.query("UPDATE shared_task SET due_at = now() WHERE name = 'look for stray objects'");
      const sidecar = {
        storeObjects: async ({ owned }: StoreObjectsRequest) => ({
          epoch: 10,
          objects: ownedObjects.get(owned!.owner) ?? [],
        }),
      };
      const accounts = { account: async (owner: string) => ({ owner }) };
      const task = await startStrays({
        db: database.db,
        sidecar,
        accounts: accounts as unknown as Parameters<typeof startStrays>[0]['accounts'],
        log: silent,
      });
      await task.stop();
    };
    await round();
    await database.db.query('UPDATE stray_look SET due_at = now()');
    await round();
  }

  async function jobOf(memory: Omit<StoredMemory, 'objectId'>, columns: string): Promise<void> {
    await database.db.transaction((tx) =>
      insertJobs(
        tx,
        [
          {
            id: memory.id,
            accountId: memory.accountId,
            owner: ownerOf(memory.accountId),
            namespace: 'default',
            delegatePk: randomBytes(32),
            outbox: undefined,
            envelope: memory.envelope,
            envelopeId: randomBytes(16),
            envelopeSha256: randomBytes(32),
            importance: 0.5,
          },
        ],
        'uploading',
      ),
    );
    await database.db.query(`UPDATE memory_job SET ${columns} WHERE id = $1`, [memory.id]);
  }

  const namespace = (accountId: Buffer) => ({ accountId, namespace: 'default', tag: Buffer.alloc(16) });
  const forgetOne = ({ accountId, id }: { accountId: Buffer; id: string }) =>
    database.db.transaction((tx) => deleteMemories(tx, namespace(accountId), [id]));

  test('lists a second object after a repeated upload, adds it to a forget, and drops it once deleted', async () => {
    const memory = await storeMemory(database.db);
    const { accountId, blobId, objectId } = memory;
    await jobOf(memory, `status = 'done', blob_id = '${blobId}', upload_claims = 2, updated_at = now()`);
    const second = object(blobId);
    ownedObjects.set(ownerOf(accountId), [object(blobId, { object_id: objectId }), second]);
    await look();
    expect(await listStrays(database.db, accountId, 10)).toEqual([second.object_id]);

    await forgetOne(memory);
    const { free: listed } = await forgottenObjects(database.db, namespace(accountId), [memory.id]);
    expect(listed.toSorted()).toEqual([objectId, second.object_id].toSorted());

    ownedObjects.set(ownerOf(accountId), []);
    await look();
    expect(await listStrays(database.db, accountId, 10)).toEqual([]);
  });

  test('does not list an object whose upload ends while the database is read, at any point', async () => {
    for (let statements = 1; statements <= 3; statements++) {
      const memory = await storeMemory(database.db);
      const { accountId, id, blobId, objectId } = memory;
      await jobOf(memory, `upload_claims = 2, checkpoint = '{"blob_ids": ["${blobId}"]}'`);
      const where = `WHERE account_id = '\\x${accountId.toString('hex')}' AND id = '${id}'`;
      await database.db.query(
        `UPDATE memory SET state = 'pending', blob_id = NULL, object_id = NULL ${where}`,
      );
      let left = statements;
      const query = async (...asked: Parameters<Db['query']>) => {
        const answer = await database.db.query(...asked);
        if (--left > 0) return answer;
        await database.db.query(`UPDATE memory_job SET status = 'done', blob_id = '${blobId}' ${where}`);
        await database.db.query(
          `UPDATE memory SET state = 'done', blob_id = '${blobId}', object_id = '${objectId}' ${where}`,
        );
        return answer;
      };
      const known = await readKnownBlobs({ ...database.db, query } as Db, accountId);
      expect(findStrays([object(blobId, { object_id: objectId })], known)).toEqual([]);
    }
  });

  test('lists the shared object of two memories with the same bytes when both are forgotten', async () => {
    const first = await storeMemory(database.db);
    const second = await storeMemory(database.db, { ...first, id: randomUUID() });
    await forgetOne(second);
    const listed = ({ id }: StoredMemory) => forgottenObjects(database.db, namespace(first.accountId), [id]);
    expect(await listed(second)).toEqual({ free: [], shared: 1 });
    await forgetOne(first);
    expect(await listed(second)).toEqual({ free: [first.objectId], shared: 0 });
  });

  test('lists a quilt for deletion even if its other memories left it days later', async () => {
    const patch = (): string => randomBytes(37).toString('base64url');
    const first = await storeMemory(database.db, { blobId: patch() });
    const { accountId, objectId } = first;
    const second = await storeMemory(database.db, { accountId, objectId, blobId: patch() });
    await forgetOne(first);
    const age = "UPDATE forgotten_memory SET forgotten_at = now() - interval '2 days' WHERE account_id = $1";
    await database.db.query(age, [accountId]);
    await database.db.query('UPDATE memory SET object_id = NULL WHERE id = $1', [second.id]);
    expect(await releaseQuilts(database.db)).toBe(1);
    expect(await forgottenObjects(database.db, { accountId }, undefined)).toEqual({
      free: [objectId],
      shared: 0,
    });
  });

  test('schedules no scan after a single upload', async () => {
    const memory = await storeMemory(database.db);
    await jobOf(
      memory,
      `status = 'done', blob_id = '${memory.blobId}', upload_claims = 1, updated_at = now()`,
    );
    ownedObjects.set(ownerOf(memory.accountId), [object(memory.blobId)]);
    await look();
    expect(await listStrays(database.db, memory.accountId, 10)).toEqual([]);
  });

  test('lists a blob for deletion that a publisher stores after its memory was forgotten', async () => {
    const memory = {
      accountId: randomBytes(32),
      id: randomUUID(),
      blobId: newBlob(),
      envelope: randomBytes(1_500),
    };
    await jobOf(memory, `upload_claims = 1, checkpoint = '{"blob_ids": ["${memory.blobId}"]}'`);
    await forgetOne(memory);
    await look();
    expect(await listStrays(database.db, memory.accountId, 10)).toEqual([]);
    const late = object(memory.blobId);
    ownedObjects.set(ownerOf(memory.accountId), [late]);
    await look();
    expect(await listStrays(database.db, memory.accountId, 10)).toEqual([late.object_id]);
    expect(await forgottenObjects(database.db, namespace(memory.accountId), [memory.id])).toEqual({
      free: [late.object_id],
      shared: 0,
    });
  });

  test('schedules another scan for a failure that is recorded during a scan', async () => {
    const accountId = randomBytes(32);
    await database.db.transaction((tx) => noteBrokenOff(tx, accountId, [newBlob()]));
    await database.db.query('UPDATE stray_look SET due_at = now() WHERE account_id = $1', [accountId]);
    const due = (await dueStrayChecks(database.db, 100)).find((look) => look.accountId.equals(accountId))!;
    await database.db.transaction((tx) => noteBrokenOff(tx, accountId, [newBlob()]));
    await scheduleStrayCheck(database.db, { ...due, looks: 2 }, false);
    await scheduleStrayCheck(database.db, due, false);
    const { rows } = await database.db.query(
      `SELECT looks, due_at < now() + interval '1 minute' AS soon FROM stray_look WHERE account_id = $1`,
      [accountId],
    );
    expect(rows).toEqual([{ looks: 0, soon: true }]);
  });

  test('stops scheduling scans of an account after a few', async () => {
    const memory = {
      accountId: randomBytes(32),
      id: randomUUID(),
      blobId: newBlob(),
      envelope: randomBytes(1_500),
    };
    await jobOf(memory, `upload_claims = 1, checkpoint = '{"blob_ids": ["${memory.blobId}"]}'`);
    await forgetOne(memory);
    for (let i = 0; i < 3; i++) await look();
    await database.db.query('UPDATE stray_look SET due_at = now()');
    const due = await dueStrayChecks(database.db, 100);
    expect(due.filter(({ accountId }) => accountId.equals(memory.accountId))).toEqual([]);
  });
});
