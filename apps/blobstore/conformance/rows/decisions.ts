import { randomBytes } from 'node:crypto';
import { holds, same } from '../expectations.ts';
import { section } from '../row.ts';

const { rows, row } = section('§4.4 blobs that are already stored', ['publisher']);

row('a default store always makes a new object', async (session) => {
  const bytes = randomBytes(40);
  const first = await session.create(bytes);
  const second = await session.create(bytes);
  same('blobId', second.blobObject.blobId, first.blobObject.blobId);
  holds('the object is a different one', second.blobObject.id !== first.blobObject.id);
});

row('reuses a permanent blob that lives long enough, and returns its event', async (session) => {
  const bytes = randomBytes(41);
  const { blobObject } = await session.create(bytes, '?permanent=true&epochs=3');
  const { alreadyCertified } = await session.store(bytes, '?permanent=true&epochs=2');
  same('keys', Object.keys(alreadyCertified ?? {}), ['blobId', 'event', 'endEpoch']);
  same('blobId', alreadyCertified?.blobId, blobObject.blobId);
  same('endEpoch', alreadyCertified?.endEpoch, blobObject.storage.endEpoch);
  const { txDigest = '', eventSeq = '' } = alreadyCertified?.event ?? {};
  holds(`txDigest ${txDigest}`, /^[1-9A-HJ-NP-Za-km-z]{40,46}$/.test(txDigest));
  holds(`eventSeq ${eventSeq}`, /^\d+$/.test(eventSeq));
});

row('does not reuse a permanent blob that expires too early', async (session) => {
  const bytes = randomBytes(42);
  await session.create(bytes, '?permanent=true&epochs=1');
  const { resourceOperation } = await session.create(bytes, '?permanent=true&epochs=2');
  same('operation', Object.keys(resourceOperation), ['registerFromScratch']);
});

row('does not reuse deletable copies for a permanent store', async (session) => {
  const bytes = randomBytes(43);
  await session.create(bytes, '?epochs=5');
  same('deletable', (await session.create(bytes, '?permanent=true')).blobObject.deletable, false);
});

row('force=true stores again', async (session) => {
  const bytes = randomBytes(44);
  const first = await session.create(bytes, '?permanent=true&epochs=2');
  const second = await session.create(bytes, '?permanent=true&force=true');
  holds('the object is a different one', second.blobObject.id !== first.blobObject.id);
});

row("reuse_resources=true reuses the publisher's own object and returns its ID", async (session) => {
  const bytes = randomBytes(45);
  const { blobObject } = await session.create(bytes, '?epochs=3');
  const { alreadyCertified } = await session.store(bytes, '?reuse_resources=true&epochs=2');
  same('keys', Object.keys(alreadyCertified ?? {}), ['blobId', 'object', 'endEpoch']);
  same('object', alreadyCertified?.object, blobObject.id);
  same('endEpoch', alreadyCertified?.endEpoch, blobObject.storage.endEpoch);
});

row('reuse_resources=true extends an object that expires too early', async (session) => {
  const bytes = randomBytes(46);
  const first = await session.create(bytes, '?epochs=2');
  const { blobObject, resourceOperation, cost } = await session.create(
    bytes,
    '?reuse_resources=true&epochs=5',
  );
  same('id', blobObject.id, first.blobObject.id);
  same('endEpoch', blobObject.storage.endEpoch, first.blobObject.storage.endEpoch + 3);
  const { storageSize } = blobObject.storage;
  same('operation', resourceOperation, {
    reuseAndExtend: { encodedLength: storageSize, epochsExtended: 3 },
  });
  holds(`cost ${cost}`, Number.isInteger(cost) && cost > 0);
});

export const decisionRows = rows;
