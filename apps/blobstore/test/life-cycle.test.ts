import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blobIdOf, patient, put, putNew, refusal, startStore, temporaryDirectory } from './running-store.ts';

const recipient = `0x${'ab'.repeat(32)}`;

async function statusOf(url: string, blobId: string): Promise<number> {
  const response = await fetch(`${url}/v1/blobs/${blobId}`);
  await response.arrayBuffer();
  return response.status;
}

async function isOnDisk(dataDir: string, blobId: string): Promise<boolean> {
  return (await readdir(join(dataDir, 'objects'), { recursive: true })).join().includes(blobId);
}

describe('deletion', () => {
  test("a deleted blob is a 404 immediately, by its id and by its object's id", async () => {
    const { url, admin } = await startStore();
    const { blobObject } = await putNew(url, 'x', '?epochs=5');
    await admin.deleteObject(blobObject.id);
    for (const path of [blobObject.blobId, `by-object-id/${blobObject.id}`]) {
      const response = await fetch(`${url}/v1/blobs/${path}`);
      expect(await refusal(response)).toEqual({ status: 404, reason: 'BLOB_NOT_FOUND' });
    }
    await expect(admin.deleteObject(blobObject.id)).rejects.toMatchObject({ reason: 'not-found' });
  });

  test('a permanent blob cannot be deleted', async () => {
    const { url, admin } = await startStore();
    const { blobObject } = await putNew(url, 'x', '?permanent=true');
    await expect(admin.deleteObject(blobObject.id)).rejects.toMatchObject({ reason: 'permanent' });
    expect(await statusOf(url, blobObject.blobId)).toBe(200);
  });

  test('a blob can be read until its last object is deleted', async () => {
    const { url, admin } = await startStore();
    const first = await putNew(url, 'x');
    await put(url, 'x', `?send_object_to=${recipient}`);
    const { blobId } = first.blobObject;
    await admin.deleteObject(first.blobObject.id);
    expect(await statusOf(url, blobId)).toBe(200);
    expect((await admin.deleteBlob(blobId)).deleted).toHaveLength(1);
    expect(await statusOf(url, blobId)).toBe(404);
  });

  test('a permanent object keeps a blob after its deletable objects are deleted', async () => {
    const { url, admin } = await startStore();
    const { blobObject } = await putNew(url, 'x');
    const kept = await putNew(url, 'x', '?permanent=true');
    const { blobId } = blobObject;
    expect(await admin.deleteBlob(blobId)).toEqual({
      deleted: [blobObject.id],
      kept: [kept.blobObject.id],
    });
    expect(await statusOf(url, blobId)).toBe(200);
  });

  test('a deleted blob stays deleted after a restart, and can be stored again', async () => {
    const dataDir = await temporaryDirectory();
    const first = await startStore({ dataDir });
    const { blobObject } = await putNew(first.url, 'x', '?epochs=9');
    await first.admin.deleteObject(blobObject.id);
    await first.close();
    const { url } = await startStore({ dataDir });
    expect(await statusOf(url, blobObject.blobId)).toBe(404);
    await put(url, 'x');
    expect(await statusOf(url, blobObject.blobId)).toBe(200);
  });
});

describe('the data of a deleted blob', () => {
  test('is removed at the end of the epoch by default, not before, even across a restart', async () => {
    const dataDir = await temporaryDirectory();
    const first = await startStore({ dataDir });
    const { blobObject } = await putNew(first.url, 'x', '?epochs=9');
    const { blobId } = blobObject;
    await first.admin.deleteObject(blobObject.id);
    expect(await first.admin.sweep()).toBe(0);
    await first.close();
    const { admin } = await startStore({ dataDir });
    expect(await admin.sweep()).toBe(0);
    expect(await isOnDisk(dataDir, blobId)).toBe(true);
    await admin.advanceEpoch();
    expect(await isOnDisk(dataDir, blobId)).toBe(false);
  });

  test('is removed immediately if enabled, unless another object keeps it', async () => {
    const dataDir = await temporaryDirectory();
    const { url, admin } = await startStore({ dataDir, deletesDataAtOnce: true });
    const first = await putNew(url, 'x');
    await put(url, 'x');
    const { blobId, id } = first.blobObject;
    await admin.deleteObject(id);
    expect(await isOnDisk(dataDir, blobId)).toBe(true);
    await admin.deleteBlob(blobId);
    expect(await isOnDisk(dataDir, blobId)).toBe(false);
  });

  test('of an expired blob is removed with its end epoch', async () => {
    const dataDir = await temporaryDirectory();
    const { url, admin } = await startStore({ dataDir });
    const blobId = await blobIdOf(url, 'x', '?epochs=2');
    await admin.advanceEpoch();
    expect(await isOnDisk(dataDir, blobId)).toBe(true);
    await admin.advanceEpoch();
    expect(await isOnDisk(dataDir, blobId)).toBe(false);
  });
});

describe('manual epochs', () => {
  test('advance only manually if the clock does not end epochs', async () => {
    let time = 0;
    const { url, admin } = await startStore({ epochDurationMs: null, now: () => time });
    const blobId = await blobIdOf(url, 'x', '?epochs=2');
    time += 1e12;
    expect(await statusOf(url, blobId)).toBe(200);
    expect(await admin.advanceEpoch()).toBe(2);
    expect(await statusOf(url, blobId)).toBe(200);
    expect(await admin.advanceEpoch()).toBe(3);
    expect(await statusOf(url, blobId)).toBe(404);
  });

  test('advance in addition to the clock, which then starts a full epoch', async () => {
    let time = 0;
    const { admin } = await startStore({ epochDurationMs: 1000, now: () => time });
    time = 900;
    expect(await admin.advanceEpoch(3)).toBe(4);
    time = 1800;
    expect(await admin.currentEpoch()).toBe(4);
    time = 1900;
    expect(await admin.currentEpoch()).toBe(5);
  });

  test.each([1000, null])('survive a restart (duration %s)', async (epochDurationMs) => {
    const dataDir = await temporaryDirectory();
    const first = await startStore({ dataDir, epochDurationMs: 1000, now: () => 0 });
    await first.admin.advanceEpoch(4);
    await first.close();
    const { admin } = await startStore({ dataDir, epochDurationMs, now: () => 0 });
    expect(await admin.currentEpoch()).toBe(5);
  });

  test('do not revive anything when the clock was set back during a restart', async () => {
    const dataDir = await temporaryDirectory();
    let time = 0;
    const options = { dataDir, epochDurationMs: 1000, now: () => time };
    const first = await startStore(options);
    const blobId = await blobIdOf(first.url, 'x', '?epochs=2');
    time = 2000;
    expect(await statusOf(first.url, blobId)).toBe(404);
    await first.close();
    time = 0;
    // The second restart reads the journal that the first one rewrote.
    for (let restart = 0; restart < 2; restart += 1) {
      const store = await startStore(options);
      expect(await store.admin.currentEpoch()).toBe(3);
      expect(await statusOf(store.url, blobId)).toBe(404);
      await store.close();
    }
  });
});

describe('extension', () => {
  test('keeps a blob longer, by whole epochs, up to 53', async () => {
    const { url, admin } = await startStore();
    const { blobObject } = await putNew(url, 'x', '?epochs=1');
    expect(await admin.extendObject(blobObject.id, 2)).toBe(4);
    await admin.advanceEpoch(2);
    expect(await statusOf(url, blobObject.blobId)).toBe(200);
    await expect(admin.extendObject(blobObject.id, 53)).rejects.toMatchObject({ reason: 'too-long' });
    await admin.advanceEpoch();
    expect(await statusOf(url, blobObject.blobId)).toBe(404);
  });

  test('never revives an expired object or extends one of another owner', async () => {
    const { url, admin } = await startStore();
    const ended = await putNew(url, 'x', '?epochs=1');
    await admin.advanceEpoch();
    await expect(admin.extendObject(ended.blobObject.id, 5)).rejects.toMatchObject({ reason: 'not-found' });
    const sent = await putNew(url, 'y', `?send_object_to=${recipient}`);
    await expect(admin.extendObject(sent.blobObject.id, 1)).rejects.toMatchObject({ reason: 'not-owned' });
  });
});

describe('the status of a blob', () => {
  test('combines all of its objects', async () => {
    const { url, admin } = await startStore();
    const blobId = await blobIdOf(url, 'x', '?epochs=2');
    await put(url, 'x', `?epochs=3&send_object_to=${recipient}`);
    expect((await admin.getBlob(blobId)).status).toEqual({
      deletable: {
        initialCertifiedEpoch: 1,
        deletableCounts: { count_deletable_total: 2, count_deletable_certified: 2 },
      },
    });
    await admin.advanceEpoch();
    await put(url, 'x', '?permanent=true&epochs=4');
    const { alreadyCertified } = await put(url, 'x', '?permanent=true');
    expect((await admin.getBlob(blobId)).status).toEqual({
      permanent: {
        endEpoch: 6,
        isCertified: true,
        statusEvent: alreadyCertified?.event,
        deletableCounts: { count_deletable_total: 2, count_deletable_certified: 2 },
        initialCertifiedEpoch: 1,
      },
    });
    await admin.advanceEpoch(4);
    expect((await admin.getBlob(blobId)).status).toBe('nonexistent');
  });

  test('with only a permanent registration is uncertified', async () => {
    const { url, admin } = await startStore();
    admin.faults.add({ operation: 'store', fault: 'INSUFFICIENT_CONFIRMATIONS', count: 1 });
    await fetch(`${url}/v1/blobs?permanent=true`, { method: 'PUT', body: 'x' });
    expect((await admin.listBlobs()).items).toMatchObject([
      { size: 1, status: { permanent: { isCertified: false, initialCertifiedEpoch: null } } },
    ]);
  });
});

test('is unavailable, never missing, while the blob is being stored', async () => {
  const { url, admin } = await startStore();
  const { blobObject } = await putNew(url, 'slow');
  await admin.deleteBlob(blobObject.blobId);
  admin.faults.add({ operation: 'store', fault: 'SLOW', delayMs: 60_000 });
  const storing = put(url, 'slow');
  await expect.poll(() => statusOf(url, blobObject.blobId), patient).toBe(503);
  admin.faults.clear();
  await storing;
  expect(await statusOf(url, blobObject.blobId)).toBe(200);
});

test('concurrent deletes, extensions and stores of one blob leave the state that their responses report', async () => {
  const { url, admin } = await startStore({ limits: { publisher: { concurrent: 40, buffered: 40 } } });
  const { blobObject } = await putNew(url, 'x', '?epochs=2');
  const { blobId } = blobObject;
  const stores = Array.from({ length: 10 }, (_, index) =>
    put(url, 'x', `?epochs=${3 + index}&reuse_resources=true`),
  );
  const deletions = Array.from({ length: 10 }, () => admin.deleteBlob(blobId));
  await Promise.all([...stores, ...deletions]);
  await put(url, 'x', '?epochs=1&reuse_resources=true');
  expect(await statusOf(url, blobId)).toBe(200);
  await admin.deleteBlob(blobId);
  expect(await statusOf(url, blobId)).toBe(404);
  expect((await admin.listObjects()).items).toEqual([]);
});
