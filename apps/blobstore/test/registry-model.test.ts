import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type BlobRegistry, RegistryRefusedError } from '../src/registry/blob-registry.ts';
import { openLocalRegistry } from '../src/registry/local-registry.ts';
import { temporaryDirectory } from './running-store.ts';

const steps = 3000;
const blobIds = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(43));
const durable = async () => undefined;

/** The expected state of an object. */
interface Expected {
  blobId: string;
  endEpoch: number;
  storageId: string;
  deletable: boolean;
  isCertified: boolean;
  isOwned: boolean;
  isBurnt: boolean;
  isShared: boolean;
}

/** Numbers from a seed, so that a failure can be reproduced (mulberry32). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

test('agrees with a plain list of objects after any operations in any order', async () => {
  const seed = randomInt(2 ** 31);
  const random = seeded(seed);
  const path = join(await temporaryDirectory(), 'registry.jsonl');
  let time = 0;
  let epoch = 1;
  const objects = new Map<string, Expected>();
  const spares = new Map<string, number>();
  const open = (isNew: boolean): Promise<BlobRegistry> =>
    openLocalRegistry({ path, isNew, nShards: 31, epochDurationMs: 1000, now: () => time });
  let registry = await open(true);

  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;
  const anyObject = () => (objects.size === 0 || random(20) === 0 ? 'missing' : pick([...objects.keys()]));

  function forgetEnded(): void {
    for (const [id, { endEpoch }] of objects) if (endEpoch <= epoch) objects.delete(id);
    for (const [id, endEpoch] of spares) if (endEpoch <= epoch) spares.delete(id);
  }

  /** Runs a change that must succeed exactly if `isAllowed` is true. */
  async function attempt<T>(isAllowed: boolean, change: Promise<T>): Promise<T | undefined> {
    const result = await change.catch((error: unknown) => error as Error);
    expect(!(result instanceof RegistryRefusedError), `seed ${seed}`).toBe(isAllowed);
    return isAllowed ? (result as T) : undefined;
  }

  function newBlob() {
    const fate = random(6);
    const storageId = random(3) === 0 ? [...spares.keys()][0] : undefined;
    const blob = {
      blobId: pick(blobIds),
      rootHash: 'r'.repeat(43),
      size: 100,
      epochs: 1 + random(6),
      deletable: random(3) > 0,
      ...(storageId === undefined ? {} : { storageId }),
    };
    return { fate, blob, endEpoch: spares.get(storageId ?? '') ?? epoch + blob.epochs };
  }

  const changes: (() => Promise<void>)[] = [
    async () => {
      const { fate, blob, endEpoch } = newBlob();
      const after = {
        ...(fate === 0 ? { sendObjectTo: `0x${'1'.repeat(64)}` } : {}),
        share: fate === 1,
        burn: fate === 2,
      };
      const { object } = await registry.store({ ...blob, ...after }, durable);
      spares.delete(object.storage.id);
      objects.set(object.id, {
        blobId: blob.blobId,
        endEpoch,
        storageId: object.storage.id,
        deletable: blob.deletable,
        isCertified: true,
        isOwned: fate > 2,
        isBurnt: fate === 2,
        isShared: fate === 1,
      });
    },
    async () => {
      const { blob, endEpoch } = newBlob();
      const id = await registry.register(blob);
      const record = (await registry.list({ limit: 1e9 })).find(({ object }) => object.id === id);
      const storageId = record?.object.storage.id ?? '';
      spares.delete(storageId);
      const { blobId, deletable } = blob;
      const fresh = { isCertified: false, isOwned: true, isBurnt: false, isShared: false };
      objects.set(id, { blobId, endEpoch, storageId, deletable, ...fresh });
    },
    async () => {
      const id = anyObject();
      const known = objects.get(id);
      const by = random(8);
      const isAllowed = known?.isOwned === true && known.endEpoch + by <= epoch + 53;
      await attempt(isAllowed, registry.certify(id, by));
      if (isAllowed) Object.assign(known, { isCertified: true, endEpoch: known.endEpoch + by });
    },
    async () => {
      const id = anyObject();
      const known = objects.get(id);
      const by = 1 + random(60);
      const isAllowed = known?.isOwned === true && known.isCertified && known.endEpoch + by <= epoch + 53;
      await attempt(isAllowed, registry.extend(id, by));
      if (isAllowed) known.endEpoch += by;
    },
    async () => {
      const id = anyObject();
      const known = objects.get(id);
      const isAllowed = known?.deletable === true && !known.isBurnt && !known.isShared;
      await attempt(isAllowed, registry.delete(id));
      if (!isAllowed) return;
      objects.delete(id);
      if (known.isOwned) spares.set(known.storageId, known.endEpoch);
    },
    async () => {
      if (random(4) > 0) return;
      time += 1000;
      epoch += 1;
      forgetEnded();
    },
    async () => {
      if (random(10) > 0) return;
      epoch = await registry.advanceEpoch(1);
      forgetEnded();
    },
    async () => {
      // A clock that is set back changes nothing.
      if (random(20) > 0) return;
      const before = time;
      time = 0;
      expect(await registry.currentEpoch(), `seed ${seed}`).toBe(epoch);
      time = before;
    },
    async () => {
      if (random(40) > 0) return;
      await registry.close();
      registry = await open(false);
    },
  ];

  for (let step = 0; step < steps; step += 1) {
    await pick(changes)();
    const message = `seed ${seed}, step ${step}`;
    expect(await registry.currentEpoch(), message).toBe(epoch);
    const blobId = pick(blobIds);
    const expected = [...objects].filter(([, known]) => known.blobId === blobId);
    const idsOf = (isCertified: boolean) =>
      expected.flatMap(([id, known]) => (known.isCertified === isCertified ? [id] : [])).sort();
    const live = await registry.liveObjects(blobId);
    expect(live.map(({ objectId }) => objectId).sort(), message).toEqual(idsOf(true));
    const uncertified = await registry.uncertified(blobId);
    expect(uncertified.map(({ objectId }) => objectId).sort(), message).toEqual(idsOf(false));
    for (const { objectId, endEpoch, owned } of [...live, ...uncertified]) {
      const known = objects.get(objectId);
      expect({ endEpoch, owned }, message).toEqual({ endEpoch: known?.endEpoch, owned: known?.isOwned });
    }
    const spare = (await registry.spareStorage()).map(({ id }) => id).sort();
    expect(spare, message).toEqual([...spares.keys()].sort());
  }
  await registry.close();
});
