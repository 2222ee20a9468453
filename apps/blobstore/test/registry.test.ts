import { describe, expect, test } from 'vitest';
import { durable, registrySubjects } from './registry-subjects.ts';

const recipient = `0x${'cd'.repeat(32)}`;
const { subjects, newBlob } = registrySubjects();

describe.each(subjects)('a registry %s', (_name, create) => {
  test.each([true, false])(
    'registers and certifies in the current epoch (deletable: %s)',
    async (deletable) => {
      const { registry } = await create();
      const epoch = await registry.currentEpoch();
      const blob = await newBlob({ deletable, epochs: 3 });
      const { object, cost } = await registry.store(blob, durable);
      expect(object).toEqual({
        id: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        registeredEpoch: epoch,
        blobId: blob.blobId,
        size: 100,
        certifiedEpoch: epoch,
        storage: {
          id: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          startEpoch: epoch,
          endEpoch: epoch + 3,
          storageSize: 64_480,
        },
        deletable,
      });
      expect(cost).toBe(320_000);
      const live = {
        objectId: object.id,
        blobId: blob.blobId,
        endEpoch: epoch + 3,
        deletable,
        event: {
          txDigest: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/),
          eventSeq: expect.any(String),
        },
        owned: true,
      };
      expect(await registry.liveObjects(blob.blobId)).toMatchObject([live]);
      expect(await registry.find(object.id)).toMatchObject(live);
    },
  );

  test('returns nothing for blobs that were never stored', async () => {
    const { registry } = await create();
    expect(await registry.liveObjects((await newBlob()).blobId)).toEqual([]);
    expect(await registry.find(`0x${'0'.repeat(64)}`)).toBeUndefined();
  });

  test('gives every store a separate object, also concurrent ones', async () => {
    const { registry } = await create();
    const blob = await newBlob();
    const stored = await Promise.all(Array.from({ length: 12 }, () => registry.store(blob, durable)));
    expect(new Set(stored.map(({ object }) => object.id)).size).toBe(12);
    expect(await registry.liveObjects(blob.blobId)).toHaveLength(12);
  });

  test('transfers an object and then does not treat it as its own', async () => {
    const { registry } = await create();
    const permanent = await newBlob({ sendObjectTo: recipient, deletable: false });
    const deletable = await newBlob({ sendObjectTo: recipient });
    await Promise.all([registry.store(permanent, durable), registry.store(deletable, durable)]);
    expect(await registry.liveObjects(permanent.blobId)).toMatchObject([{ owned: false }]);
    expect(await registry.liveObjects(deletable.blobId)).toMatchObject([{ owned: false }]);
  });

  test('extends its own object for the storage fee only', async () => {
    const { registry } = await create();
    const blob = await newBlob({ epochs: 1 });
    const { object } = await registry.store(blob, durable);
    const extended = await registry.extend(object.id, 4);
    const endEpoch = object.storage.endEpoch + 4;
    expect(extended).toEqual({
      object: { ...object, storage: { ...object.storage, endEpoch } },
      cost: 400_000,
    });
    expect(await registry.liveObjects(blob.blobId)).toMatchObject([{ endEpoch, owned: true }]);
    await registry.extend(object.id, 1, { sendObjectTo: recipient });
    expect(await registry.liveObjects(blob.blobId)).toMatchObject([{ endEpoch: endEpoch + 1, owned: false }]);
    await expect(registry.extend(object.id, 1)).rejects.toThrow();
  });

  test('never extends beyond 53 epochs', async () => {
    const { registry } = await create();
    const { object } = await registry.store(await newBlob({ epochs: 53 }), durable);
    await expect(registry.extend(object.id, 1)).rejects.toThrow();
  });

  test('removes an object when its end epoch starts', async () => {
    const { registry, advance } = await create();
    const epoch = await registry.currentEpoch();
    const short = await newBlob({ epochs: 1 });
    const long = await newBlob({ epochs: 2 });
    const { object } = await registry.store(short, durable);
    await registry.store(long, durable);
    await advance(1);
    expect(await registry.currentEpoch()).toBe(epoch + 1);
    expect(await registry.liveObjects(short.blobId)).toEqual([]);
    expect(await registry.find(object.id)).toBeUndefined();
    expect(await registry.liveObjects(long.blobId)).toHaveLength(1);
  });

  test('has the same contents after a restart', async () => {
    const { registry, reopen } = await create();
    const own = await newBlob({ epochs: 5 });
    const transferred = await newBlob({ sendObjectTo: recipient, deletable: false });
    const { object } = await registry.store(own, durable);
    await registry.store(transferred, durable);
    await registry.extend(object.id, 2);
    const before = [await registry.liveObjects(own.blobId), await registry.liveObjects(transferred.blobId)];
    const again = await reopen();
    expect([await again.liveObjects(own.blobId), await again.liveObjects(transferred.blobId)]).toEqual(
      before,
    );
  });
});
