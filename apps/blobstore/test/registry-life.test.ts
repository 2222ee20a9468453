import { describe, expect, test } from 'vitest';
import { type BlobRegistry, RegistryRefusedError } from '../src/registry/blob-registry.ts';
import { durable, registrySubjects } from './registry-subjects.ts';

const recipient = `0x${'cd'.repeat(32)}`;
const missing = `0x${'0'.repeat(64)}`;
const { subjects, newBlob } = registrySubjects();

async function recordsOf(registry: BlobRegistry, blobId: string) {
  return registry.list({ blobId, limit: 100 });
}

describe.each(subjects)('a registry %s', (_name, create) => {
  test('registers without a certificate, and certifies later, once', async () => {
    const { registry, reopen } = await create();
    const blob = await newBlob();
    const objectId = await registry.register(blob);
    expect(await registry.liveObjects(blob.blobId)).toEqual([]);
    expect(await registry.find(objectId)).toBeUndefined();
    const left = { objectId, blobId: blob.blobId, deletable: true, owned: true };
    expect(await registry.uncertified(blob.blobId)).toMatchObject([left]);
    expect(await recordsOf(registry, blob.blobId)).toMatchObject([{ object: { certifiedEpoch: null } }]);
    const again = await reopen();
    expect(await again.uncertified(blob.blobId)).toMatchObject([left]);
    const { object, cost } = await again.certify(objectId, 0);
    expect(cost).toBe(0);
    expect(object.certifiedEpoch).toBe(await again.currentEpoch());
    expect(await again.uncertified(blob.blobId)).toEqual([]);
    expect(await again.liveObjects(blob.blobId)).toMatchObject([left]);
  });

  test('certifies and extends in one step, and transfers', async () => {
    const { registry } = await create();
    const blob = await newBlob({ epochs: 1, deletable: false });
    const objectId = await registry.register(blob);
    const { object, cost } = await registry.certify(objectId, 3, { sendObjectTo: recipient });
    expect(cost).toBe(300_000);
    expect(object.storage.endEpoch).toBe(object.registeredEpoch + 4);
    expect(await registry.liveObjects(blob.blobId)).toMatchObject([
      { endEpoch: object.storage.endEpoch, owned: false },
    ]);
  });

  test('keeps attributes from the store on, changes and removes them', async () => {
    const { registry, reopen } = await create();
    const attributes = { _walrusBlobType: 'quilt', 'content-type': 'text/plain' };
    const { object } = await registry.store(await newBlob({ attributes }), durable);
    expect((await registry.find(object.id))?.attributes).toEqual(attributes);
    const changes = { 'content-type': null, 'content-language': 'en', gone: null };
    const changed = { _walrusBlobType: 'quilt', 'content-language': 'en' };
    expect(await registry.setAttributes(object.id, changes)).toEqual(changed);
    expect((await registry.find(object.id))?.attributes).toEqual(changed);
    expect((await (await reopen()).find(object.id))?.attributes).toEqual(changed);
    await expect(registry.setAttributes(missing, {})).rejects.toMatchObject({ reason: 'not-found' });
  });

  test('shares an object, which can then be found by the shared id and no longer belongs to the publisher', async () => {
    const { registry } = await create();
    const blob = await newBlob({ share: true });
    const { object, sharedBlobObject = '' } = await registry.store(blob, durable);
    expect(sharedBlobObject).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await registry.find(sharedBlobObject)).toMatchObject({ blobId: blob.blobId, owned: false });
    await expect(registry.delete(object.id)).rejects.toThrow(RegistryRefusedError);
    await expect(registry.extend(object.id, 1)).rejects.toThrow(RegistryRefusedError);
  });

  test('burns an object, whose blob stays until it expires', async () => {
    const { registry, advance } = await create();
    const blob = await newBlob({ burn: true, deletable: false, epochs: 1 });
    const { object } = await registry.store(blob, durable);
    expect(await registry.find(object.id)).toBeUndefined();
    expect(await registry.liveObjects(blob.blobId)).toMatchObject([{ owned: false, deletable: false }]);
    expect(await recordsOf(registry, blob.blobId)).toMatchObject([{ burnt: true }]);
    await advance(1);
    expect(await registry.currentEpoch()).toBe(object.storage.endEpoch);
    expect(await registry.liveObjects(blob.blobId)).toEqual([]);
  });

  test('deletes a deletable blob permanently and remembers the deletion until the epoch ends', async () => {
    const { registry, reopen, advance } = await create();
    const blob = await newBlob({ epochs: 5 });
    const { object } = await registry.store(blob, durable);
    const permanent = await registry.store(await newBlob({ deletable: false }), durable);
    await expect(registry.delete(permanent.object.id)).rejects.toMatchObject({ reason: 'permanent' });
    await expect(registry.delete(missing)).rejects.toMatchObject({ reason: 'not-found' });
    expect(await registry.deletedThisEpoch(blob.blobId)).toBe(false);
    expect(await registry.delete(object.id)).toBe(blob.blobId);
    expect(await registry.liveObjects(blob.blobId)).toEqual([]);
    expect(await registry.find(object.id)).toBeUndefined();
    await expect(registry.delete(object.id)).rejects.toMatchObject({ reason: 'not-found' });
    const again = await reopen();
    expect(await again.liveObjects(blob.blobId)).toEqual([]);
    expect(await again.deletedThisEpoch(blob.blobId)).toBe(true);
    await advance(1);
    expect(await again.deletedThisEpoch(blob.blobId)).toBe(false);
  });

  test('never extends objects that it does not own or that are not certified', async () => {
    const { registry } = await create();
    const sent = await registry.store(await newBlob({ sendObjectTo: recipient }), durable);
    await expect(registry.extend(sent.object.id, 1)).rejects.toMatchObject({ reason: 'not-owned' });
    const left = await registry.register(await newBlob());
    await expect(registry.extend(left, 1)).rejects.toMatchObject({ reason: 'uncertified' });
    await expect(registry.extend(missing, 1)).rejects.toMatchObject({ reason: 'not-found' });
    const own = await registry.store(await newBlob({ epochs: 53 }), durable);
    await expect(registry.extend(own.object.id, 1)).rejects.toMatchObject({ reason: 'too-long' });
  });

  test('lists each blob and object once, in pages, without expired ones', async () => {
    const { registry, advance } = await create();
    const ended = await newBlob({ epochs: 1 });
    await registry.store(ended, durable);
    const blobs = await Promise.all(Array.from({ length: 5 }, () => newBlob({ epochs: 9 })));
    const stored = await Promise.all(blobs.map((blob) => registry.store(blob, durable)));
    await advance(1);
    const objectIds: string[] = [];
    const blobIds: string[] = [];
    for (let after = ''; ; ) {
      const page = (await registry.list({ after, limit: 2 })).map(({ object }) => object.id);
      objectIds.push(...page);
      if (page.length < 2) break;
      after = page[1] ?? '';
    }
    for (let after = ''; ; ) {
      const page = await registry.listBlobIds({ after, limit: 2 });
      blobIds.push(...page);
      if (page.length < 2) break;
      after = page[1] ?? '';
    }
    // A chain also has blobs of other publishers.
    expect(objectIds).toEqual(objectIds.toSorted());
    expect(blobIds).toEqual(blobIds.toSorted());
    expect(new Set(objectIds).size).toBe(objectIds.length);
    expect(objectIds).toEqual(expect.arrayContaining(stored.map(({ object }) => object.id)));
    expect(blobIds).toEqual(expect.arrayContaining(blobs.map(({ blobId }) => blobId)));
    expect(blobIds).not.toContain(ended.blobId);
  });
});
