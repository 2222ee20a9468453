import { randomBytes } from 'node:crypto';
import { expectAnswer, holds, jsonOf, same } from '../expectations.ts';
import { refused, refusedByFramework } from '../refused.ts';
import { section } from '../row.ts';
import type { Session, StoreResponse } from '../session.ts';

const { rows, row, walrus, ours } = section('§1.4–1.5 stores', ['publisher']);

const recipient = `0x${'ab'.repeat(32)}`;
const objectId = /^0x[0-9a-f]{64}$/;

function putOf(session: Session, query: string, body: string | Uint8Array = 'conformance') {
  return session.publisher(`/v1/blobs${query}`, { method: 'PUT', body });
}

/** The encoded length of a blob of `size` bytes for `n` shards, in bytes (facts §4.5). */
export function encodedLength(size: number, n: number): number {
  const faults = Math.floor((n - 1) / 3);
  const [rowCount, columnCount] = [n - 2 * faults, n - faults];
  const least = Math.ceil(Math.max(size, 1) / (rowCount * columnCount));
  const symbol = least + (least % 2);
  return n * ((rowCount + columnCount) * symbol + n * 64 + 32);
}

row('a new blob has the documented fields in their order', async (session) => {
  const bytes = randomBytes(333);
  const { blobObject, resourceOperation, cost, ...rest } = await session.create(bytes, '?epochs=3');
  same('other keys', Object.keys(rest), []);
  same('keys', Object.keys(blobObject), [
    'id',
    'registeredEpoch',
    'blobId',
    'size',
    'encodingType',
    'certifiedEpoch',
    'storage',
    'deletable',
  ]);
  same('keys of storage', Object.keys(blobObject.storage), ['id', 'startEpoch', 'endEpoch', 'storageSize']);
  const { storage, registeredEpoch } = blobObject;
  holds(`id ${blobObject.id}`, objectId.test(blobObject.id) && objectId.test(storage.id));
  holds(`blobId ${blobObject.blobId}`, /^[A-Za-z0-9_-]{43}$/.test(blobObject.blobId));
  same('size', blobObject.size, 333);
  same('encodingType', blobObject.encodingType, 'RS2');
  same('startEpoch', storage.startEpoch, registeredEpoch);
  same('endEpoch', storage.endEpoch, registeredEpoch + 3);
  const encoded = encodedLength(333, session.shards);
  same('storageSize', storage.storageSize, encoded);
  same('operation', resourceOperation, { registerFromScratch: { encodedLength: encoded, epochsAhead: 3 } });
  holds(`cost ${cost}`, Number.isInteger(cost) && cost > 0);
});

row('a blob lives for one epoch and is deletable by default', async (session) => {
  const { blobObject, resourceOperation } = await session.create('default');
  same('deletable', blobObject.deletable, true);
  same('epochs', blobObject.storage.endEpoch - blobObject.storage.startEpoch, 1);
  same('epochsAhead', resourceOperation.registerFromScratch?.epochsAhead, 1);
});

ours('certifiedEpoch is the epoch of the store', async (session) => {
  const { blobObject } = await session.create('certified');
  same('certifiedEpoch', blobObject.certifiedEpoch, blobObject.registeredEpoch);
});

walrus('certifiedEpoch is null for a fresh store', async (session) => {
  const { blobObject } = await session.create(randomBytes(20));
  same('certifiedEpoch', blobObject.certifiedEpoch, null);
});

row('storageSize follows from the length of the blob', async (session) => {
  const { shards } = session;
  const faults = Math.floor((shards - 1) / 3);
  const symbols = (shards - 2 * faults) * (shards - faults);
  for (const size of [0, 2 * symbols, 2 * symbols + 1]) {
    const { blobObject } = await session.create(Buffer.alloc(size, 7));
    same(`storageSize of ${size} bytes`, blobObject.storage.storageSize, encodedLength(size, shards));
  }
});

for (const [content, id] of [
  ['', '3GPQL3HZNnFhN_F7l5Aa-X1VOtAKwIsg9zuWk8R81v4'],
  ['some other string', 'M4hsZGQ1oCktdzegB6HnI6Mi28S2nqOPHxK-W7_4BUk'],
  ['hello', 'VCHdU3RHtQVBYAI3c30jDhM8PNvrgv7OVxIb8eW6Ih4'],
] as const) {
  row(
    `the blob ID of "${content}" is computed for 1000 shards`,
    async (session) => {
      same('blobId', (await session.create(content)).blobObject.blobId, id);
    },
    ['1000 shards'],
  );
}

row('the body is stored as bytes regardless of its content type', async (session) => {
  const ids = new Set<string>();
  for (const type of [
    'application/json',
    'text/plain; charset=utf-16',
    'multipart/form-data',
    'nonsense',
    '',
  ]) {
    const headers = { 'content-type': type };
    const answer = await session.publisher('/v1/blobs', { method: 'PUT', headers, body: '{"no json' });
    expectAnswer(answer, { status: 200 });
    ids.add(jsonOf<StoreResponse>(answer).newlyCreated!.blobObject.blobId);
  }
  same('blob IDs', ids.size, 1);
});

for (const [query, reason] of [
  ['?epochs=many', 'INVALID_EPOCHS'],
  ['?epochs=-1', 'INVALID_EPOCHS'],
  ['?epochs=1.5', 'INVALID_EPOCHS'],
  ['?epochs=4294967296', 'INVALID_EPOCHS'],
  ['?permanent=1', 'MALFORMED_REQUEST'],
  ['?permanent=TRUE', 'MALFORMED_REQUEST'],
  ['?force', 'MALFORMED_REQUEST'],
  ['?reuse_resources=yes', 'MALFORMED_REQUEST'],
  ['?encoding_type=rs2', 'MALFORMED_REQUEST'],
  ['?encoding_type=RedStuff', 'MALFORMED_REQUEST'],
  ['?send_object_to=somebody', 'MALFORMED_REQUEST'],
  ['?share=yes', 'MALFORMED_REQUEST'],
  ['?share=true&share=true', 'MALFORMED_REQUEST'],
  [`?share=true&send_object_to=${recipient}`, 'MALFORMED_REQUEST'],
  ['?epochs=1&epochs=1', 'MALFORMED_REQUEST'],
  ['?epoch=1', 'MALFORMED_REQUEST'],
  ['?cb=1', 'MALFORMED_REQUEST'],
] as const) {
  row(`${query.replace(recipient, '{address}')} is 400`, async (session) => {
    refusedByFramework(session, await putOf(session, query), 400, reason);
  });
}

row('deletable and permanent together are 400', async (session) => {
  refused(await putOf(session, '?deletable=true&permanent=true'), 400, 'INVALID_BLOB_PERSISTENCE');
});

for (const query of ['?epochs=0', '?epochs=54']) {
  ours(`${query} is 400 INVALID_EPOCHS`, async (session) => {
    refused(await putOf(session, query), 400, 'INVALID_EPOCHS');
  });
  walrus(`${query} is 500`, async (session) => {
    refused(await putOf(session, query), 500, 'INTERNAL_ERROR');
  });
}

for (const query of [
  '?epochs=53',
  '?deletable=true',
  '?deletable=false&permanent=false',
  '?encoding_type=RS2',
  '?quilt_version=garbage',
  '?share=false',
  '?epochs=%31',
]) {
  row(`${query} is accepted`, async (session) => {
    expectAnswer(await putOf(session, query), { status: 200 });
  });
}

row('permanent=true makes a permanent blob', async (session) => {
  same('deletable', (await session.create(randomBytes(20), '?permanent=true')).blobObject.deletable, false);
});

row('send_object_to is accepted', async (session) => {
  await session.create('sent', `?send_object_to=${recipient}`);
});

row('share=true also returns the shared object', async (session) => {
  const { sharedBlobObject, blobObject } = await session.create('shared', '?share=true');
  holds(`sharedBlobObject ${sharedBlobObject}`, objectId.test(sharedBlobObject ?? ''));
  holds('the shared object has a different ID', sharedBlobObject !== blobObject.id);
});

export const storeRows = rows;
