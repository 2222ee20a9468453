import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type BlobRegistry, type NewBlob, RegistryUnavailableError } from '../src/registry/blob-registry.ts';
import { openLocalRegistry } from '../src/registry/local-registry.ts';
import { temporaryDirectory } from './running-store.ts';

const nShards = 31;
const durable = async () => undefined;

async function open(path: string, isNew: boolean, now: () => number = () => 0): Promise<BlobRegistry> {
  const registry = await openLocalRegistry({ path, isNew, nShards, epochDurationMs: 1000, now });
  onTestFinished(() => registry.close());
  return registry;
}

async function newPath(): Promise<string> {
  return join(await temporaryDirectory(), 'registry.jsonl');
}

function newBlob(fields: Partial<NewBlob> = {}): NewBlob {
  const id = () => randomBytes(32).toString('base64url');
  return { blobId: id(), rootHash: id(), size: 100, epochs: 5, deletable: true, ...fields };
}

/** The results of all queries of a registry. */
async function queryAll(registry: BlobRegistry) {
  const objects = await registry.list({ limit: 1000 });
  const blobIds = await registry.listBlobIds({ limit: 1000 });
  const spare = (await registry.spareStorage()).sort((a, b) => (a.id < b.id ? -1 : 1));
  return { objects, blobIds, spare, epoch: await registry.currentEpoch() };
}

/** Makes one change of each kind. */
async function changeEverything(registry: BlobRegistry): Promise<void> {
  const first = await registry.store(newBlob({ attributes: { a: '1' } }), durable);
  await registry.extend(first.object.id, 2);
  await registry.setAttributes(first.object.id, { a: null, b: '2' });
  await registry.store(newBlob({ share: true }), durable);
  await registry.store(newBlob({ burn: true, deletable: false }), durable);
  const left = await registry.register(newBlob());
  await registry.certify(left, 1, { attributes: { c: '3' } });
  await registry.register(newBlob());
  await registry.delete(first.object.id);
  const [spare] = await registry.spareStorage();
  await registry.store(newBlob({ storageId: spare?.id ?? '' }), durable);
  const second = await registry.store(newBlob(), durable);
  await registry.delete(second.object.id);
  await registry.advanceEpoch(1);
}

test('a reopened registry returns the same as before, however often', async () => {
  const path = await newPath();
  const registry = await open(path, true);
  await changeEverything(registry);
  const before = await queryAll(registry);
  expect(before.objects).toHaveLength(5);
  expect(before.spare).toHaveLength(1);
  await registry.close();
  for (let round = 0; round < 3; round += 1) {
    const again = await open(path, false);
    expect(await queryAll(again)).toEqual(before);
    await again.close();
  }
});

test('opens a journal truncated after any line, and uses no storage twice', async () => {
  const path = await newPath();
  const registry = await open(path, true);
  await changeEverything(registry);
  await registry.close();
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  expect(lines.length).toBeGreaterThan(15);
  for (let count = 1; count <= lines.length; count += 1) {
    await writeFile(path, `${lines.slice(0, count).join('\n')}\n`);
    const cut = await open(path, false);
    const { objects, spare } = await queryAll(cut);
    const used = [...objects.map(({ object }) => object.storage.id), ...spare.map(({ id }) => id)];
    expect(new Set(used).size).toBe(used.length);
    await cut.close();
  }
});

test("keeps a registration but nothing readable when a store's content fails", async () => {
  const registry = await open(await newPath(), true);
  const blob = newBlob();
  const failing = async () => {
    throw new Error('no room');
  };
  await expect(registry.store(blob, failing)).rejects.toThrow('no room');
  expect(await registry.liveObjects(blob.blobId)).toEqual([]);
  const [left] = await registry.uncertified(blob.blobId);
  expect(left).toMatchObject({ owned: true, endEpoch: 6 });
  expect(await registry.find(left?.objectId ?? '')).toBeUndefined();
  await registry.certify(left?.objectId ?? '', 0);
  expect(await registry.uncertified(blob.blobId)).toEqual([]);
  expect(await registry.liveObjects(blob.blobId)).toMatchObject([{ endEpoch: 6 }]);
});

test('does not revive a registration that is deleted while its content is stored', async () => {
  const registry = await open(await newPath(), true);
  const blob = newBlob();
  let deleted: string | undefined;
  const deleting = async () => {
    await expect.poll(() => registry.uncertified(blob.blobId)).toHaveLength(1);
    const [left] = await registry.uncertified(blob.blobId);
    deleted = await registry.delete(left?.objectId ?? '');
  };
  await expect(registry.store(blob, deleting)).rejects.toThrow(RegistryUnavailableError);
  expect(deleted).toBe(blob.blobId);
  expect(await registry.list({ limit: 10 })).toEqual([]);
  expect(await registry.spareStorage()).toHaveLength(1);
});

test('certifies an object in the epoch of its certificate, and rejects a late one', async () => {
  let time = 0;
  const registry = await open(await newPath(), true, () => time);
  const left = await registry.register(newBlob({ epochs: 2 }));
  const late = await registry.register(newBlob({ epochs: 1 }));
  time = 1000;
  const { object } = await registry.certify(left, 0);
  expect(object).toMatchObject({ registeredEpoch: 1, certifiedEpoch: 2, storage: { endEpoch: 3 } });
  await expect(registry.certify(late, 5)).rejects.toMatchObject({ reason: 'not-found' });
  const turned = async () => {
    time = 5000;
  };
  await expect(registry.store(newBlob({ epochs: 1 }), turned)).rejects.toThrow(RegistryUnavailableError);
});

test('rejects changes of missing objects and of objects of other owners', async () => {
  const registry = await open(await newPath(), true);
  const missing = `0x${'0'.repeat(64)}`;
  const notFound = { reason: 'not-found' };
  await expect(registry.extend(missing, 1)).rejects.toMatchObject(notFound);
  await expect(registry.certify(missing, 1)).rejects.toMatchObject(notFound);
  await expect(registry.delete(missing)).rejects.toMatchObject(notFound);
  await expect(registry.setAttributes(missing, {})).rejects.toMatchObject(notFound);
  await expect(registry.store(newBlob({ storageId: missing }), durable)).rejects.toMatchObject(notFound);
  const sent = await registry.store(newBlob({ sendObjectTo: missing }), durable);
  await expect(registry.extend(sent.object.id, 1)).rejects.toMatchObject({ reason: 'not-owned' });
  const left = await registry.register(newBlob());
  await expect(registry.extend(left, 1)).rejects.toMatchObject({ reason: 'uncertified' });
});

test('changes nothing if the change cannot be written', async () => {
  const registry = await open(await newPath(), true);
  const { object } = await registry.store(newBlob(), durable);
  const left = await registry.register(newBlob());
  const deleted = await registry.store(newBlob(), durable);
  await registry.delete(deleted.object.id);
  const [spare] = await registry.spareStorage();
  const before = await queryAll(registry);
  await registry.close();
  const storageId = spare?.id ?? '';
  for (const change of [
    () => registry.store(newBlob(), durable),
    () => registry.store(newBlob({ storageId }), durable),
    () => registry.register(newBlob({ storageId })),
    () => registry.certify(left, 1),
    () => registry.extend(object.id, 1),
    () => registry.setAttributes(object.id, { a: 'b' }),
    () => registry.delete(object.id),
    () => registry.advanceEpoch(1),
  ]) {
    await expect(change()).rejects.toThrow(RegistryUnavailableError);
    expect(await queryAll(registry)).toEqual(before);
  }
});

test('does not use spare storage that is too small for a blob', async () => {
  const registry = await open(await newPath(), true);
  const { object } = await registry.store(newBlob(), durable);
  await registry.delete(object.id);
  const large = newBlob({ size: 10_000_000, storageId: object.storage.id });
  await expect(registry.store(large, durable)).rejects.toMatchObject({ reason: 'not-found' });
  expect(await registry.spareStorage()).toEqual([object.storage]);
});

test('applies all concurrent changes of one object', async () => {
  const registry = await open(await newPath(), true);
  const { object } = await registry.store(newBlob({ epochs: 1 }), durable);
  const keys = Array.from({ length: 10 }, (_, index) => `key ${index}`);
  await Promise.all([
    ...keys.map((key) => registry.setAttributes(object.id, { [key]: key })),
    ...keys.map(() => registry.extend(object.id, 2)),
  ]);
  const [record] = await registry.list({ limit: 1 });
  expect(record?.object.storage.endEpoch).toBe(22);
  expect(record?.attributes).toEqual(Object.fromEntries(keys.map((key) => [key, key])));
});

/** In the format of the first version, without attributes, registrations and deletions. */
const earlierJournal = [
  '{"epochs":{"epoch":1,"startedAtMs":0,"durationMs":1000}}',
  '{"object":{"id":"0xaa","registeredEpoch":1,"blobId":"blob","size":5,"certifiedEpoch":1,"storage":{"id":"0xbb","startEpoch":1,"endEpoch":4,"storageSize":64480},"deletable":true},"event":{"txDigest":"digest","eventSeq":"0"},"owned":true}',
];
const earlierChecksums = ['ded5782f', '4ff7b79c'];

test('opens a journal of an earlier version', async () => {
  const path = await newPath();
  await writeFile(path, earlierJournal.map((json, index) => `${earlierChecksums[index]} ${json}\n`).join(''));
  const registry = await open(path, false, () => 1000);
  expect(await registry.currentEpoch()).toBe(2);
  expect(await registry.list({ limit: 10 })).toMatchObject([
    { object: { id: '0xaa' }, owned: true, burnt: false, attributes: {}, event: { txDigest: 'digest' } },
  ]);
  await registry.setAttributes('0xaa', { a: 'b' });
  expect(await registry.extend('0xaa', 1)).toMatchObject({ object: { storage: { endEpoch: 5 } } });
});
