import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { BlobRegistry, NewBlob } from '../src/registry/blob-registry.ts';
import { RegistryUnavailableError } from '../src/registry/blob-registry.ts';
import { openBucketRegistry } from '../src/registry/bucket/bucket-registry.ts';
import type { S3Options } from '../src/storage/s3/s3-options.ts';
import { startProxy, type Verdict } from './s3-proxy.ts';
import { bucketAt, keysOf, sharedS3 } from './s3-server.ts';

const s3 = sharedS3();
const durable = async () => undefined;

interface Clock {
  now: () => number;
  forward: (epochs: number) => void;
}

function movableClock(): Clock {
  let time = 0;
  return {
    now: () => time,
    forward: (epochs) => {
      time += epochs * 1000;
    },
  };
}

function open(place: S3Options, { now }: Clock = movableClock(), graceMs = 0): BlobRegistry {
  const registry = openBucketRegistry({
    bucket: bucketAt(place),
    nShards: 31,
    epochDurationMs: 1000,
    now,
    graceMs,
  });
  onTestFinished(() => registry.close());
  return registry;
}

function newBlob(fields: Partial<NewBlob> = {}): NewBlob {
  const hash = () => randomBytes(32).toString('base64url');
  return { blobId: hash(), rootHash: hash(), size: 100, epochs: 2, deletable: true, ...fields };
}

test('changes by one instance are visible to the other immediately', async () => {
  const place = s3().place();
  const [a, b] = [open(place), open(place)];
  const blob = newBlob({ attributes: { a: '1' } });
  expect(await b.liveObjects(blob.blobId)).toEqual([]);
  const { object } = await a.store(blob, durable);
  expect(await b.liveObjects(blob.blobId)).toEqual(await a.liveObjects(blob.blobId));
  expect(await b.find(object.id)).toMatchObject({ attributes: { a: '1' }, owned: true });

  await b.setAttributes(object.id, { a: null, b: '2' });
  expect(await a.find(object.id)).toMatchObject({ attributes: { b: '2' } });
  const extended = await a.extend(object.id, 3);
  expect(extended.object.storage.endEpoch).toBe(object.storage.endEpoch + 3);
  expect(await b.liveObjects(blob.blobId)).toMatchObject([{ endEpoch: object.storage.endEpoch + 3 }]);

  expect(await b.delete(object.id)).toBe(blob.blobId);
  expect(await a.liveObjects(blob.blobId)).toEqual([]);
  expect(await a.find(object.id)).toBeUndefined();
  expect(await a.deletedThisEpoch(blob.blobId)).toBe(true);
  await expect(a.extend(object.id, 1)).rejects.toMatchObject({ reason: 'not-found' });
});

test('a registration is certified by another instance, once', async () => {
  const place = s3().place();
  const [a, b] = [open(place), open(place)];
  const blob = newBlob();
  const id = await a.register(blob);
  expect(await b.uncertified(blob.blobId)).toMatchObject([{ objectId: id, owned: true }]);
  await Promise.all([a.certify(id, 0), b.certify(id, 1)]);
  const [live, ...others] = await open(place).liveObjects(blob.blobId);
  expect(live).toMatchObject({ objectId: id, endEpoch: 4 });
  expect(others).toEqual([]);
  expect(await a.liveObjects(blob.blobId)).toEqual([live]);
});

test('keeps both of two concurrent changes', async () => {
  const place = s3().place();
  const [a, b] = [open(place), open(place)];
  const { object } = await a.store(newBlob(), durable);
  const [first, second] = await Promise.all([
    a.extend(object.id, 5),
    b.extend(object.id, 7),
    a.setAttributes(object.id, { x: '1' }),
    b.setAttributes(object.id, { y: '2' }),
  ]);
  // Both returned an end epoch; the later one applies.
  const ends = [first, second].map((paid) => paid.object.storage.endEpoch);
  expect(await b.find(object.id)).toMatchObject({
    attributes: { x: '1', y: '2' },
    endEpoch: Math.max(...ends),
  });
});

test('never undoes a deletion, whatever is written concurrently', async () => {
  const place = s3().place();
  const [a, b] = [open(place), open(place)];
  for (let round = 0; round < 5; round += 1) {
    const blob = newBlob();
    const { object } = await a.store(blob, durable);
    await Promise.allSettled([
      a.delete(object.id),
      b.extend(object.id, 1),
      b.setAttributes(object.id, { a: 'b' }),
    ]);
    expect(await a.liveObjects(blob.blobId)).toEqual([]);
    expect(await b.liveObjects(blob.blobId)).toEqual([]);
  }
});

test('a shared object is found by both ids, and no longer belongs to the publisher', async () => {
  const place = s3().place();
  const [a, b] = [open(place), open(place)];
  const { object, sharedBlobObject } = await a.store(newBlob({ share: true }), durable);
  expect(await b.find(sharedBlobObject!)).toMatchObject({ objectId: object.id, owned: false });
  expect(await b.list({ limit: 10 })).toHaveLength(1);
  await expect(b.extend(object.id, 1)).rejects.toMatchObject({ reason: 'not-owned' });
});

test('a burnt object is deleted, but its blob stays', async () => {
  const registry = open(s3().place());
  const blob = newBlob({ burn: true });
  const { object } = await registry.store(blob, durable);
  expect(await registry.find(object.id)).toBeUndefined();
  await expect(registry.delete(object.id)).rejects.toMatchObject({ reason: 'not-found' });
  expect(await registry.liveObjects(blob.blobId)).toMatchObject([{ owned: false }]);
});

test('a manual epoch change in one instance applies to the others', async () => {
  const place = s3().place();
  const clock = movableClock();
  const [a, b] = [open(place, clock), open(place, clock)];
  const { object } = await a.store(newBlob({ epochs: 2 }), durable);
  const before = await b.currentEpoch();
  expect(await a.advanceEpoch(2)).toBe(before + 2);
  await expect.poll(() => b.currentEpoch(), { timeout: 20_000 }).toBe(before + 2);
  expect(await b.find(object.id)).toBeUndefined();
  clock.forward(1);
  expect(await open(place, clock).currentEpoch()).toBe(before + 3);
});

test('lists are paged in order, without expired objects', async () => {
  const place = { ...s3().place(), pageSize: 4 };
  const registry = open(place);
  const blobs = [newBlob(), newBlob(), newBlob(), newBlob()];
  const ids: string[] = [];
  for (const blob of [...blobs, ...blobs, ...blobs])
    ids.push((await registry.store(blob, durable)).object.id);
  const dead = await registry.store(newBlob(), durable);
  await registry.delete(dead.object.id);

  const seen: string[] = [];
  for (let page = await registry.list({ limit: 5 }); page.length > 0; ) {
    seen.push(...page.map(({ object }) => object.id));
    page = await registry.list({ limit: 5, after: seen.at(-1)! });
  }
  expect(seen).toEqual(ids.toSorted());

  const blobIds = blobs.map(({ blobId }) => blobId).sort();
  const first = await registry.listBlobIds({ limit: 3 });
  expect(first).toEqual(blobIds.slice(0, 3));
  expect(await registry.listBlobIds({ limit: 3, after: first.at(-1)! })).toEqual(blobIds.slice(3));
  expect(await registry.list({ blobId: blobIds[0]!, limit: 2 })).toHaveLength(2);
  const unknown = newBlob().blobId;
  expect([...(await registry.keptAmong!([...blobIds, unknown]))].sort()).toEqual(blobIds);
});

test('a crash before the record leaves nothing visible', async () => {
  const place = s3().place();
  let allowed: (path: string) => Verdict = () => 'pass';
  const proxy = await startProxy(s3().endpoint, ({ method, path }) =>
    method === 'PUT' ? allowed(path) : 'pass',
  );
  const cutOff = open({ ...place, endpoint: proxy, timeoutMs: 1500 });
  allowed = (path) => (path.includes('/objects/') ? 'silence' : 'pass');
  const blob = newBlob();
  await expect(cutOff.store(blob, durable)).rejects.toThrow(RegistryUnavailableError);
  const other = open(place);
  expect(await keysOf(bucketAt(place), 'ids/')).toHaveLength(1);
  expect(await other.liveObjects(blob.blobId)).toEqual([]);
  expect(await other.list({ limit: 10 })).toEqual([]);
  expect(await other.listBlobIds({ limit: 10 })).toEqual([]);
});

test('an interrupted removal never revives its object', async () => {
  const place = s3().place();
  const clock = movableClock();
  const registry = open(place, clock);
  const blob = newBlob({ epochs: 10 });
  const { object } = await registry.store(blob, durable);
  await registry.extend(object.id, 1);
  await registry.delete(object.id);
  const bucket = bucketAt(place);
  const keys = await keysOf(bucket, `objects/${blob.blobId}/`);
  expect(keys).toHaveLength(3);
  // In the order of removal, in which the deletion record is last.
  for (const key of keys.toSorted(
    (a, b) => Number(a.includes('.deleted.')) - Number(b.includes('.deleted.')),
  )) {
    await bucket.remove([key]);
    const other = open(place, clock);
    expect(await other.liveObjects(blob.blobId)).toEqual([]);
    expect(await other.find(object.id)).toBeUndefined();
  }
});

test('forgets objects one epoch after they expire, not before', async () => {
  const place = s3().place();
  const clock = movableClock();
  const registry = open(place, clock);
  const lives = newBlob({ epochs: 9 });
  await registry.store(lives, durable);
  await registry.store(newBlob({ epochs: 1, share: true }), durable);
  const deleted = await registry.store(newBlob({ epochs: 9 }), durable);
  await registry.delete(deleted.object.id);
  const bucket = bucketAt(place);
  const keys = async () => (await keysOf(bucket, 'objects/')).length + (await keysOf(bucket, 'ids/')).length;
  expect(await keys()).toBe(8);
  await registry.forgetEnded!();
  expect(await keys()).toBe(8);
  clock.forward(1);
  // One object was deleted in an earlier epoch; the other one expired at the start of this epoch.
  await registry.forgetEnded!();
  expect(await keys()).toBe(5);
  await open(place, clock, 3_600_000).forgetEnded!();
  clock.forward(1);
  await open(place, clock, 3_600_000).forgetEnded!();
  expect(await keys()).toBe(5);
  await registry.forgetEnded!();
  expect(await keys()).toBe(2);
  expect(await registry.liveObjects(lives.blobId)).toHaveLength(1);
});

test('an unresponsive bucket makes blobs unavailable, never missing', async () => {
  let verdict: Verdict = 'pass';
  const proxy = await startProxy(s3().endpoint, () => verdict);
  const registry = open({ ...s3().place(proxy), timeoutMs: 1500 });
  const { object } = await registry.store(newBlob(), durable);
  verdict = 'silence';
  const unavailable = { name: 'RegistryUnavailableError' };
  await expect(registry.liveObjects(object.blobId)).rejects.toMatchObject(unavailable);
  await expect(registry.find(object.id)).rejects.toMatchObject(unavailable);
  await expect(registry.store(newBlob(), durable)).rejects.toMatchObject(unavailable);
  await expect(registry.delete(object.id)).rejects.toMatchObject(unavailable);
  await expect(registry.list({ limit: 1 })).rejects.toMatchObject(unavailable);
});

test('spare storage is not offered, because two instances could use it up', async () => {
  const registry = open(s3().place());
  const { object } = await registry.store(newBlob(), durable);
  await registry.delete(object.id);
  expect(await registry.spareStorage()).toEqual([]);
  const blob = newBlob({ storageId: object.storage.id });
  await expect(registry.store(blob, durable)).rejects.toMatchObject({ reason: 'not-offered' });
});

test('a clock that is set back revives nothing', async () => {
  const clock = movableClock();
  const registry = open(s3().place(), clock);
  const { object } = await registry.store(newBlob({ epochs: 1 }), durable);
  clock.forward(1);
  expect(await registry.find(object.id)).toBeUndefined();
  clock.forward(-1);
  expect(await registry.find(object.id)).toBeUndefined();
});
