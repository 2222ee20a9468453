import { randomBytes } from 'node:crypto';
import { expectAnswer, jsonOf, same } from '../expectations.ts';
import { refused } from '../refused.ts';
import { section } from '../row.ts';
import type { BlobObject, Session } from '../session.ts';

const { rows, ours } = section('ours: admin', ['publisher', 'aggregator', 'admin']);

const unknownObject = `0x${'0'.repeat(63)}9`;

async function answered<T>(session: Session, path: string, method = 'GET', body?: object): Promise<T> {
  const answer = await session.admin(path, method, body);
  expectAnswer(answer, { status: 200, headers: { 'content-type': 'application/json' } });
  return jsonOf<T>(answer);
}

interface Objects {
  objects: { blobObject: BlobObject; owned: boolean; attributes: object }[];
  cursor?: string;
}

const routes = [
  'GET /epoch',
  'POST /epoch/advance',
  'POST /sweep',
  'GET /blobs',
  'GET /blobs/id',
  'DELETE /blobs/id',
  'GET /objects',
  'DELETE /objects/id',
  'POST /objects/id/extend',
  'PATCH /objects/id/attributes',
  'GET /faults',
  'POST /faults',
  'DELETE /faults',
  'DELETE /faults/id',
];

for (const route of routes) {
  ours(`${route} needs the token`, async (session) => {
    const [method = '', path = ''] = route.split(' ');
    for (const headers of [{}, { authorization: 'Bearer something-else' }, { authorization: 'Basic eDp5' }]) {
      const answer = await session.aggregator(`/admin${path}`, { method, headers });
      refused(answer, 401, 'ADMIN_TOKEN_REQUIRED');
      expectAnswer(answer, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
    }
  });
}

ours('reports the same epoch as stores', async (session) => {
  const { epoch } = await answered<{ epoch: number }>(session, '/epoch');
  same('registeredEpoch', (await session.create('epoch')).blobObject.registeredEpoch, epoch);
});

ours('blobs and objects are listed page by page', async (session) => {
  const { blobObject } = await session.create(randomBytes(30));
  const { blobId, id } = blobObject;
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await answered<Objects>(session, `/objects?limit=7${cursor}`);
    seen.push(...page.objects.map((object) => object.blobObject.id));
    cursor = page.cursor === undefined ? '' : `&cursor=${page.cursor}`;
  } while (cursor !== '');
  same('each object once', new Set(seen).size, seen.length);
  same('the object is listed', seen.includes(id), true);
  const { objects } = await answered<Objects>(session, `/objects?blob_id=${blobId}`);
  same('object', objects[0]?.blobObject, blobObject);
  same('objects of the blob', (await answered<Objects>(session, `/blobs/${blobId}`)).objects, objects);
  await answered(session, '/blobs?limit=1000');
  for (const query of ['?limit=0', '?limit=1001', '?page=1', '?limit=1&limit=1']) {
    refused(await session.admin(`/blobs${query}`, 'GET'), 400, 'MALFORMED_REQUEST');
    refused(await session.admin(`/objects${query}`, 'GET'), 400, 'MALFORMED_REQUEST');
  }
});

ours('404 names the kind of the missing item', async (session) => {
  const unknown = 'A'.repeat(43);
  same('status', (await answered<{ status: string }>(session, `/blobs/${unknown}`)).status, 'nonexistent');
  for (const [path, method, body, status, reason] of [
    [`/blobs/${unknown}`, 'DELETE', undefined, 404, 'BLOB_NOT_FOUND'],
    ['/blobs/short', 'GET', undefined, 400, 'INVALID_ID_FORMAT'],
    ['/blobs/short', 'DELETE', undefined, 400, 'INVALID_ID_FORMAT'],
    [`/objects/${unknownObject}`, 'DELETE', undefined, 404, 'OBJECT_NOT_FOUND'],
    [`/objects/${unknownObject}/extend`, 'POST', { epochs: 1 }, 404, 'OBJECT_NOT_FOUND'],
    [`/objects/${unknownObject}/attributes`, 'PATCH', { a: 'b' }, 404, 'OBJECT_NOT_FOUND'],
    ['/objects/no', 'DELETE', undefined, 400, 'INVALID_ID_FORMAT'],
    ['/objects/no/extend', 'POST', { epochs: 1 }, 400, 'INVALID_ID_FORMAT'],
    ['/objects/no/attributes', 'PATCH', { a: 'b' }, 400, 'INVALID_ID_FORMAT'],
    ['/faults/no', 'DELETE', undefined, 404, 'FAULT_NOT_FOUND'],
  ] as const) {
    refused(await session.admin(path, method, body), status, reason);
  }
});

ours('a body of the wrong shape is 400', async (session) => {
  const { objectId } = await session.blob();
  for (const [path, method] of [
    ['/epoch/advance', 'POST'],
    [`/objects/${objectId}/attributes`, 'PATCH'],
    ['/faults', 'POST'],
  ] as const) {
    refused(await session.admin(path, method, [5]), 400, 'MALFORMED_REQUEST');
    const large = { text: 'x'.repeat(300_000) };
    refused(await session.admin(path, method, large), 413, 'PAYLOAD_TOO_LARGE');
  }
  const extend = `/objects/${objectId}/extend`;
  refused(await session.admin(extend, 'POST', { epochs: 0 }), 400, 'INVALID_EPOCHS');
  refused(await session.admin(extend, 'POST', { text: 'x'.repeat(300_000) }), 413, 'PAYLOAD_TOO_LARGE');
});

ours('extends the lifetime of an object', async (session) => {
  const { blobObject } = await session.create(randomBytes(31));
  const { endEpoch } = await answered<{ endEpoch: number }>(
    session,
    `/objects/${blobObject.id}/extend`,
    'POST',
    { epochs: 2 },
  );
  same('endEpoch', endEpoch, blobObject.storage.endEpoch + 2);
});

ours('attributes are set, replaced and removed', async (session) => {
  const { blobObject } = await session.create(randomBytes(32));
  const path = `/objects/${blobObject.id}/attributes`;
  await answered(session, path, 'PATCH', { one: '1', two: '2' });
  const { attributes } = await answered<{ attributes: object }>(session, path, 'PATCH', {
    one: null,
    two: '3',
  });
  same('attributes', attributes, { two: '3' });
});

ours('deletes all deletable objects of a blob and keeps the permanent ones', async (session) => {
  const bytes = randomBytes(33);
  const deletable = [await session.create(bytes), await session.create(bytes)];
  const permanent = await session.create(bytes, '?permanent=true');
  const path = `/blobs/${permanent.blobObject.blobId}`;
  const { deleted, kept } = await answered<Record<'deleted' | 'kept', string[]>>(session, path, 'DELETE');
  same('deleted', deleted.toSorted(), deletable.map(({ blobObject }) => blobObject.id).toSorted());
  same('kept', kept, [permanent.blobObject.id]);
  await answered(session, '/sweep', 'POST');
});

ours('faults can be listed and ended one by one', async (session) => {
  const fault = { operation: 'read', fault: 'SLOW', blobId: 'A'.repeat(43), count: 1, delayMs: 1 };
  const { id } = await answered<{ id: string }>(session, '/faults', 'POST', fault);
  const { faults } = await answered<{ faults: object[] }>(session, '/faults');
  same('faults', faults, [{ ...fault, id }]);
  same('left', await answered(session, `/faults/${id}`, 'DELETE'), { faults: [] });
});

ours('a store fails with the injected faults', async (session) => {
  for (const [fault, status, reason] of [
    ['INSUFFICIENT_CONFIRMATIONS', 504, 'INSUFFICIENT_CONFIRMATIONS'],
    ['REGISTRY_UNAVAILABLE', 503, 'REGISTRY_UNAVAILABLE'],
    ['TOO_MANY_REQUESTS', 429, 'TOO_MANY_REQUESTS'],
    ['INTERNAL_ERROR', 500, 'INTERNAL_ERROR'],
  ] as const) {
    await answered(session, '/faults', 'POST', { operation: 'store', fault, count: 1 });
    const answer = await session.publisher('/v1/blobs', { method: 'PUT', body: `meets ${fault}` });
    refused(answer, status, reason);
  }
});

ours('an uncertified registration cannot be extended, and reads as 503', async (session) => {
  const fault = { operation: 'store', fault: 'INSUFFICIENT_CONFIRMATIONS', count: 1 };
  await answered(session, '/faults', 'POST', fault);
  const bytes = randomBytes(34);
  const answer = await session.publisher('/v1/blobs', { method: 'PUT', body: bytes });
  refused(answer, 504, 'INSUFFICIENT_CONFIRMATIONS');
  const { objects } = await answered<Objects>(session, '/objects?limit=1000');
  const { blobObject } = objects.find(
    (object) => object.blobObject.certifiedEpoch === null && object.blobObject.size === 34,
  )!;
  const extend = `/objects/${blobObject.id}/extend`;
  refused(await session.admin(extend, 'POST', { epochs: 1 }), 409, 'BLOB_NOT_CERTIFIED');
  refused(await session.aggregator(`/v1/blobs/${blobObject.blobId}`), 503, 'BLOB_UNAVAILABLE');
  const again = await session.create(bytes, '?reuse_resources=true');
  same('operation', Object.keys(again.resourceOperation), ['reuseRegistration']);
  same('object', again.blobObject.id, blobObject.id);
});

export const adminRows = rows;
