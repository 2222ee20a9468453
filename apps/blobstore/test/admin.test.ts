import { describe, expect, test } from 'vitest';
import type { BlobStoreOptions } from '../src/config/blob-store-options.ts';
import { blobIdOf, put, putNew, refusal, startStore } from './running-store.ts';

const adminToken = 'a-token-for-this-test';
const recipient = `0x${'ab'.repeat(32)}`;
const missingObject = `0x${'0'.repeat(64)}`;
const missingBlob = 'A'.repeat(43);

type Json = Record<string, unknown>;
type Ask = (method: string, path: string, body?: unknown) => Promise<Response>;

function client(url: string, token: string): Ask {
  return (method, path, body) =>
    fetch(`${url}/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
}

async function startWithAdmin(options: Partial<BlobStoreOptions> = {}) {
  const store = await startStore({ adminToken, ...options });
  const ask = client(store.url, adminToken);
  async function call(method: string, path: string, body?: unknown): Promise<Json> {
    const response = await ask(method, path, body);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.status).toBe(200);
    return (await response.json()) as Json;
  }
  return { ...store, ask, call };
}

describe('the token', () => {
  test('if not configured, nothing exists below /admin', async () => {
    const { url } = await startStore();
    for (const path of ['/admin', '/admin/epoch', '/admin/blobs', '/admin/nothing']) {
      const response = await fetch(`${url}${path}`, { headers: { authorization: 'Bearer x' } });
      expect(await refusal(response)).toEqual({ status: 404, reason: 'ROUTE_NOT_FOUND' });
    }
  });

  test.each([
    ['none', undefined],
    ['a different token', 'Bearer another-token-altogether'],
    ['a longer token with the right prefix', `Bearer ${adminToken}x`],
    ['a prefix of the token', `Bearer ${adminToken.slice(0, -1)}`],
    ['an empty token', 'Bearer '],
    ['a different scheme', `Basic ${adminToken}`],
  ])('%s is rejected on every route', async (_name, authorization) => {
    const { url } = await startStore({ adminToken });
    const headers = authorization === undefined ? {} : { authorization };
    for (const [method, path] of [
      ['GET', '/epoch'],
      ['POST', '/epoch/advance'],
      ['GET', '/blobs'],
      ['DELETE', `/blobs/${missingBlob}`],
      ['POST', '/faults'],
    ] as const) {
      const response = await fetch(`${url}/admin${path}`, { method, headers });
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await refusal(response)).toEqual({ status: 401, reason: 'ADMIN_TOKEN_REQUIRED' });
    }
  });

  test('is not required by publisher and aggregator', async () => {
    const { url } = await startStore({ adminToken });
    expect((await fetch(`${url}/v1/blobs/${await blobIdOf(url, 'x')}`)).status).toBe(200);
  });
});

describe('lists', () => {
  test('lists each blob once, in pages ordered by id', async () => {
    const { url, call } = await startWithAdmin();
    const ids = new Set<string>();
    for (let number = 0; number < 7; number += 1) ids.add(await blobIdOf(url, `blob ${number}`));
    await put(url, 'blob 0');
    const listed: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 5; pages += 1) {
      const page = await call('GET', `/blobs?limit=3${cursor && `&cursor=${cursor}`}`);
      listed.push(...(page.blobs as { blobId: string }[]).map(({ blobId }) => blobId));
      if (page.cursor === undefined) break;
      cursor = page.cursor as string;
    }
    expect(listed).toEqual([...ids].sort());
  });

  test('lists blobs with their size and status, and objects with all their fields', async () => {
    const { url, call } = await startWithAdmin();
    const { blobObject } = await putNew(url, 'hello');
    const { blobId } = blobObject;
    const status = {
      deletable: {
        initialCertifiedEpoch: 1,
        deletableCounts: { count_deletable_total: 1, count_deletable_certified: 1 },
      },
    };
    expect(await call('GET', '/blobs')).toEqual({ blobs: [{ blobId, size: 5, status }] });
    const event = { txDigest: expect.any(String), eventSeq: '0' };
    const object = { blobObject, attributes: {}, owned: true, burnt: false, event };
    expect(await call('GET', `/blobs/${blobId}`)).toEqual({ blobId, status, objects: [object] });
    expect(await call('GET', `/objects?blob_id=${blobId}`)).toEqual({ objects: [object] });
    expect(await call('GET', `/objects?blob_id=${missingBlob}`)).toEqual({ objects: [] });
    expect(await call('GET', `/blobs/${missingBlob}`)).toEqual({
      blobId: missingBlob,
      status: 'nonexistent',
      objects: [],
    });
  });

  test.each([
    '/blobs?limit=0',
    '/blobs?limit=1001',
    '/blobs?limit=x',
    '/blobs?blob_id=x',
    '/objects?blob_id=x',
  ])('%s is rejected', async (path) => {
    const { ask } = await startWithAdmin();
    expect(await refusal(await ask('GET', path))).toEqual({ status: 400, reason: 'MALFORMED_REQUEST' });
  });
});

describe('changes', () => {
  test('delete, extend, attributes, epoch and sweep have their documented effect', async () => {
    const { url, call } = await startWithAdmin();
    const { blobObject } = await putNew(url, 'x', '?epochs=2');
    const { id, blobId } = blobObject;
    expect(await call('POST', `/objects/${id}/extend`, { epochs: 3 })).toEqual({ endEpoch: 6 });
    const headers = { 'content-type': 'text/plain', 'x-odd': 'v' };
    expect(await call('PATCH', `/objects/${id}/attributes`, headers)).toEqual({ attributes: headers });
    const read = await fetch(`${url}/v1/blobs/by-object-id/${id}`);
    expect(read.headers.get('content-type')).toBe('text/plain');
    expect(read.headers.has('x-odd')).toBe(false);
    expect(await call('PATCH', `/objects/${id}/attributes`, { 'x-odd': null, b: '2' })).toEqual({
      attributes: { 'content-type': 'text/plain', b: '2' },
    });
    expect(await call('GET', '/epoch')).toEqual({ epoch: 1 });
    expect(await call('POST', '/epoch/advance')).toEqual({ epoch: 2 });
    expect(await call('POST', '/epoch/advance', { by: 2 })).toEqual({ epoch: 4 });
    expect(await call('DELETE', `/objects/${id}`)).toEqual({ deleted: [id], kept: [] });
    expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(404);
    expect(await call('POST', '/sweep')).toEqual({ removed: 0 });
    await call('POST', '/epoch/advance');
    expect(await call('GET', '/blobs')).toEqual({ blobs: [] });
  });

  test('deleting a blob deletes its deletable objects', async () => {
    const { url, call } = await startWithAdmin();
    const first = await putNew(url, 'x');
    const permanent = await putNew(url, 'x', '?permanent=true');
    expect(await call('DELETE', `/blobs/${first.blobObject.blobId}`)).toEqual({
      deleted: [first.blobObject.id],
      kept: [permanent.blobObject.id],
    });
  });

  test('attributes survive a restart and are deleted with the object', async () => {
    const first = await startWithAdmin();
    const { blobObject } = await putNew(first.url, 'x', `?send_object_to=${recipient}`);
    await first.call('PATCH', `/objects/${blobObject.id}/attributes`, { 'content-language': 'en' });
    const read = await fetch(`${first.url}/v1/blobs/by-object-id/${blobObject.id}`);
    expect(read.headers.get('content-language')).toBe('en');
    await first.call('DELETE', `/objects/${blobObject.id}`);
    const again = await putNew(first.url, 'x');
    const fresh = await fetch(`${first.url}/v1/blobs/by-object-id/${again.blobObject.id}`);
    expect(fresh.headers.has('content-language')).toBe(false);
  });

  test.each([
    ['DELETE', `/objects/${missingObject}`, undefined, 404, 'OBJECT_NOT_FOUND'],
    ['DELETE', `/blobs/${missingBlob}`, undefined, 404, 'BLOB_NOT_FOUND'],
    ['DELETE', '/objects/x', undefined, 400, 'INVALID_ID_FORMAT'],
    ['DELETE', '/blobs/x', undefined, 400, 'INVALID_ID_FORMAT'],
    ['POST', `/objects/${missingObject}/extend`, { epochs: 1 }, 404, 'OBJECT_NOT_FOUND'],
    ['POST', `/objects/${missingObject}/extend`, { epochs: 0 }, 400, 'INVALID_EPOCHS'],
    ['POST', `/objects/${missingObject}/extend`, { epochs: 54 }, 400, 'INVALID_EPOCHS'],
    ['POST', `/objects/${missingObject}/extend`, { epochs: '1' }, 400, 'INVALID_EPOCHS'],
    ['POST', `/objects/${missingObject}/extend`, {}, 400, 'INVALID_EPOCHS'],
    ['PATCH', `/objects/${missingObject}/attributes`, { a: 'b' }, 404, 'OBJECT_NOT_FOUND'],
    ['PATCH', `/objects/${missingObject}/attributes`, { a: 1 }, 400, 'MALFORMED_REQUEST'],
    ['PATCH', `/objects/${missingObject}/attributes`, { '': 'b' }, 400, 'MALFORMED_REQUEST'],
    ['PATCH', `/objects/${missingObject}/attributes`, [], 400, 'MALFORMED_REQUEST'],
    ['POST', '/epoch/advance', { by: 0 }, 400, 'MALFORMED_REQUEST'],
    ['POST', '/epoch/advance', { by: 1.5 }, 400, 'MALFORMED_REQUEST'],
    ['POST', '/epoch/advance', { on: 1 }, 400, 'MALFORMED_REQUEST'],
    ['POST', '/epoch/advance', '{', 400, 'MALFORMED_REQUEST'],
    ['POST', '/epoch/advance', 'x'.repeat(300_000), 413, 'PAYLOAD_TOO_LARGE'],
    ['POST', '/faults', {}, 400, 'MALFORMED_REQUEST'],
    ['POST', '/faults', { operation: 'read', fault: 'REGISTRY_UNAVAILABLE' }, 400, 'MALFORMED_REQUEST'],
    ['POST', '/faults', { operation: 'read', fault: 'SLOW', delayMs: 1e9 }, 400, 'MALFORMED_REQUEST'],
    ['POST', '/faults', { operation: 'read', fault: 'SLOW', count: 0 }, 400, 'MALFORMED_REQUEST'],
    ['POST', '/faults', { operation: 'read', fault: 'SLOW', blobId: 'x' }, 400, 'MALFORMED_REQUEST'],
    ['POST', '/faults', { operation: 'read', fault: 'SLOW', other: 1 }, 400, 'MALFORMED_REQUEST'],
    ['DELETE', '/faults/9', undefined, 404, 'FAULT_NOT_FOUND'],
    ['PUT', '/epoch', undefined, 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/nothing', undefined, 404, 'ROUTE_NOT_FOUND'],
  ])('%s %s with %j is %i %s', async (method, path, body, status, reason) => {
    const { ask } = await startWithAdmin();
    expect(await refusal(await ask(method, path, body))).toEqual({ status, reason });
  });

  test('rejects a change that the rules forbid with 409 and the reason', async () => {
    const { url, admin, ask } = await startWithAdmin();
    const permanent = await putNew(url, 'x', `?permanent=true&send_object_to=${recipient}`);
    const path = `/objects/${permanent.blobObject.id}`;
    const deleted = await refusal(await ask('DELETE', path));
    expect(deleted).toEqual({ status: 409, reason: 'BLOB_NOT_DELETABLE' });
    const extended = await refusal(await ask('POST', `${path}/extend`, { epochs: 1 }));
    expect(extended).toEqual({ status: 409, reason: 'OBJECT_NOT_OWNED' });
    admin.faults.add({ operation: 'store', fault: 'INSUFFICIENT_CONFIRMATIONS', count: 1 });
    await fetch(`${url}/v1/blobs`, { method: 'PUT', body: 'y' });
    const records = (await admin.listObjects()).items;
    const left = records.find(({ object }) => object.certifiedEpoch === null);
    const early = await refusal(await ask('POST', `/objects/${left?.object.id}/extend`, { epochs: 1 }));
    expect(early).toEqual({ status: 409, reason: 'BLOB_NOT_CERTIFIED' });
  });
});

test('faults are added, listed and removed', async () => {
  const { url, call } = await startWithAdmin();
  const blobId = await blobIdOf(url, 'x');
  const fault = { operation: 'read', fault: 'BLOB_UNAVAILABLE', blobId, count: 3 };
  const added = await call('POST', '/faults', fault);
  expect(added).toEqual({ ...fault, id: '1' });
  expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(503);
  expect(await call('GET', '/faults')).toEqual({ faults: [{ ...added, count: 2 }] });
  expect(await call('DELETE', '/faults/1')).toEqual({ faults: [] });
  await call('POST', '/faults', { operation: 'store', fault: 'SLOW', durationMs: 1e6, delayMs: 5 });
  expect(await call('DELETE', '/faults')).toEqual({ faults: [] });
  expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(200);
});
