import { expect, test } from 'vitest';
import { decideStore, type Resources, type StoreWish } from '../src/publisher/store-decision.ts';
import type { CertifiedObject, StorageResource, UncertifiedObject } from '../src/registry/blob-registry.ts';

const wish: StoreWish = {
  targetEpoch: 10,
  encodedLength: 1000,
  permanent: false,
  force: false,
  reuseResources: false,
};

function certified(
  objectId: string,
  endEpoch: number,
  fields: Partial<CertifiedObject> = {},
): CertifiedObject {
  const event = { txDigest: 'x', eventSeq: '0' };
  return { objectId, blobId: 'b', endEpoch, deletable: true, owned: true, event, ...fields };
}

function uncertified(
  objectId: string,
  endEpoch: number,
  fields: Partial<UncertifiedObject> = {},
): UncertifiedObject {
  return { objectId, blobId: 'b', endEpoch, deletable: true, owned: true, ...fields };
}

function storage(id: string, storageSize: number, endEpoch: number): StorageResource {
  return { id, startEpoch: 1, endEpoch, storageSize };
}

function decide(resources: Partial<Resources>, wanted: Partial<StoreWish>) {
  return decideStore({ live: [], uncertified: [], spare: [], ...resources }, { ...wish, ...wanted });
}

const permanent = { deletable: false };
const foreign = { owned: false };
const reuse = { reuseResources: true };
const everything: Partial<Resources> = {
  live: [certified('p', 20, permanent), certified('d', 20)],
  uncertified: [uncertified('u', 20)],
  spare: [storage('s', 1000, 20)],
};

test.each([
  ['a deletable store of anything', everything, {}],
  ['a forced store of anything', everything, { force: true }],
  [
    'a permanent store with a permanent object that expires too early',
    { live: [certified('p', 9, permanent)] },
    { permanent: true },
  ],
  ['a permanent store with deletable objects', { live: [certified('d', 99)] }, { permanent: true }],
  ['a forced permanent store', everything, { permanent: true, force: true }],
  ['reuse without any resources', {}, reuse],
  ['reuse with an object of another owner', { live: [certified('d', 20, foreign)] }, reuse],
  ['reuse with a registration of another owner', { uncertified: [uncertified('u', 20, foreign)] }, reuse],
  [
    'reuse with the other persistence',
    { live: [certified('p', 20, permanent)], uncertified: [uncertified('u', 20, permanent)] },
    reuse,
  ],
  ['reuse with storage that is too small', { spare: [storage('s', 999, 20)] }, reuse],
  ['reuse with storage that ends too early', { spare: [storage('s', 1000, 9)] }, reuse],
])('%s registers a new object', (_name, resources, wanted) => {
  expect(decide(resources, wanted)).toEqual({ kind: 'register' });
});

test('a permanent blob of any owner that lives long enough is sufficient, also with reuse', () => {
  const existing = certified('p', 10, { ...permanent, ...foreign });
  const longer = certified('q', 12, permanent);
  expect(decide({ live: [existing] }, { permanent: true })).toEqual({ kind: 'certified-event', existing });
  expect(decide({ live: [existing, longer] }, { permanent: true, ...reuse })).toEqual({
    kind: 'certified-event',
    existing: longer,
  });
});

test('with reuse an own certified object is sufficient, or is extended by the missing epochs', () => {
  const existing = certified('d', 10);
  expect(decide({ ...everything, live: [existing] }, reuse)).toEqual({ kind: 'certified-object', existing });
  const short = certified('d', 7);
  const decision = { kind: 'extend', existing: short, byEpochs: 3 };
  expect(decide({ ...everything, live: [short] }, reuse)).toEqual(decision);
  const shortPermanent = certified('p', 7, permanent);
  expect(decide({ live: [shortPermanent] }, { ...reuse, permanent: true })).toMatchObject({ byEpochs: 3 });
});

test.each([true, false])('with reuse a registration is resumed (force: %s)', (force) => {
  const enough = uncertified('u', 10);
  const wanted = { ...reuse, force };
  const resources = { uncertified: [uncertified('v', 5), enough], spare: [storage('s', 1000, 20)] };
  expect(decide(resources, wanted)).toEqual({ kind: 'resume', existing: enough, byEpochs: 0 });
  const short = uncertified('u', 6);
  expect(decide({ uncertified: [short] }, wanted)).toEqual({ kind: 'resume', existing: short, byEpochs: 4 });
});

test('force ignores certified objects and only uses resources that need a new certificate', () => {
  const live = [certified('d', 20)];
  const registration = uncertified('u', 20);
  const forced = { ...reuse, force: true };
  expect(decide({ live, uncertified: [registration] }, forced)).toMatchObject({ kind: 'resume' });
  const spare = storage('s', 1000, 20);
  expect(decide({ live, spare: [spare] }, forced)).toEqual({ kind: 'reuse-storage', storage: spare });

  const livePermanent = [certified('p', 20, permanent)];
  const resumable = [uncertified('u', 20, permanent)];
  const forcedPermanent = { ...forced, permanent: true };
  expect(decide({ live: livePermanent, uncertified: resumable }, forcedPermanent)).toMatchObject({
    kind: 'resume',
  });
  expect(decide({ live: livePermanent }, forcedPermanent)).toEqual({ kind: 'register' });
});

test('uses the smallest spare storage that fits, and among equals the one that ends first', () => {
  const spare = [
    storage('larger', 2000, 10),
    storage('later', 1000, 20),
    storage('best', 1000, 12),
    storage('too small', 900, 12),
    storage('too short', 1000, 9),
  ];
  expect(decide({ spare }, reuse)).toMatchObject({ kind: 'reuse-storage', storage: { id: 'best' } });
});
