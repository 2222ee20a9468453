import { expect, test } from 'vitest';
import { rawRead } from './raw-read.ts';
import { blobIdOf, putNew, refusal, startStore } from './running-store.ts';

const attributes = {
  'content-type': 'text/html',
  'Content-Disposition': 'attachment; filename="a.html"',
  'content-language': 'de',
  authorization: 'Bearer not-for-responses',
  'x-own': 'not allowed',
  etag: 'not ours to change',
  'cache-control': 'no-store',
};

/** A store with one blob whose object has attributes. */
async function startWithAttributes(
  values: Record<string, string>,
  options: Parameters<typeof startStore>[0] = {},
): Promise<{ url: string; blobId: string; objectId: string }> {
  const { url, admin } = await startStore(options);
  const { blobObject } = await putNew(url, '<p>hello</p>', '?epochs=2');
  await admin.setAttributes(blobObject.id, values);
  return { url, blobId: blobObject.blobId, objectId: blobObject.id };
}

test('a read by object id returns the allowed attributes as headers, in addition to those of any read', async () => {
  const { url, blobId, objectId } = await startWithAttributes(attributes);
  for (const method of ['GET', 'HEAD']) {
    const read = await rawRead(`${url}/v1/blobs/by-object-id/${objectId}`, { method });
    expect(read.status).toBe(200);
    expect(read.headers).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': 'attachment; filename="a.html"',
      'content-language': 'de',
      'content-length': '12',
      'cache-control': 'public, max-age=86400, stale-while-revalidate=3600',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      etag: blobId,
    });
    expect(read.headers).not.toHaveProperty('authorization');
    expect(read.headers).not.toHaveProperty('x-own');
    expect(read.bytes.toString()).toBe(method === 'GET' ? '<p>hello</p>' : '');
  }
  const byBlobId = await rawRead(`${url}/v1/blobs/${blobId}`);
  expect(byBlobId.headers).not.toHaveProperty('content-type');
  expect(byBlobId.headers).not.toHaveProperty('content-disposition');
});

test('a range read returns the attributes as headers too', async () => {
  const { url, objectId } = await startWithAttributes(attributes);
  const range = { range: 'bytes=3-7' };
  const read = await rawRead(`${url}/v1/blobs/by-object-id/${objectId}`, { headers: range });
  expect(read.status).toBe(206);
  expect(read.headers).toMatchObject({ 'content-type': 'text/html', 'content-range': 'bytes 3-7/12' });
  expect(read.bytes.toString()).toBe('hello');
});

test('does not overwrite headers of the response, such as the content type that the client accepts', async () => {
  const { url, objectId } = await startWithAttributes(attributes);
  const headers = { accept: 'image/png' };
  const read = await rawRead(`${url}/v1/blobs/by-object-id/${objectId}`, { headers });
  expect(read.headers['content-type']).toBe('image/png');
  expect(read.headers['content-language']).toBe('de');
});

test('returns the headers that the operator allows, without invalid values', async () => {
  const allowedHeaders = new Set(['x-own', 'x-second', 'etag', 'x-line', 'x-letters']);
  const { url, blobId, objectId } = await startWithAttributes(
    { ...attributes, 'x-line': 'a\r\nset-cookie: b', 'x-letters': 'größer', 'X-Second': 'kept' },
    { allowedHeaders },
  );
  const { headers } = await rawRead(`${url}/v1/blobs/by-object-id/${objectId}`);
  expect(headers).toMatchObject({ 'x-own': 'not allowed', 'x-second': 'kept', etag: blobId });
  for (const name of ['content-type', 'content-disposition', 'x-line', 'x-letters', 'set-cookie']) {
    expect(headers).not.toHaveProperty(name);
  }
});

test('errors have no attribute headers', async () => {
  const { url, objectId } = await startWithAttributes(attributes);
  const headers = { range: 'bytes=12-' };
  const read = await rawRead(`${url}/v1/blobs/by-object-id/${objectId}`, { headers });
  expect(read.status).toBe(416);
  expect(read.headers['content-type']).toBe('application/json');
  expect(read.headers).not.toHaveProperty('content-language');
});

test('each object has separate attributes, even for the same blob', async () => {
  const { url, admin } = await startStore();
  const first = await putNew(url, 'same bytes');
  const second = await putNew(url, 'same bytes');
  await admin.setAttributes(second.blobObject.id, { 'content-type': 'text/x-second' });
  const typeOf = async (id: string) =>
    (await rawRead(`${url}/v1/blobs/by-object-id/${id}`)).headers['content-type'];
  expect(await typeOf(first.blobObject.id)).toBeUndefined();
  expect(await typeOf(second.blobObject.id)).toBe('text/x-second');
});

test('the id of the shared object works like that of the blob object', async () => {
  const { url, admin } = await startStore();
  const response = await fetch(`${url}/v1/blobs?share=true`, { method: 'PUT', body: 'for all' });
  const { newlyCreated } = (await response.json()) as {
    newlyCreated: { blobObject: { id: string }; sharedBlobObject: string };
  };
  await admin.setAttributes(newlyCreated.blobObject.id, { link: '<https://example.org>' });
  for (const id of [newlyCreated.sharedBlobObject, newlyCreated.blobObject.id]) {
    const read = await rawRead(`${url}/v1/blobs/by-object-id/${id}`);
    expect(read).toMatchObject({ status: 200, headers: { link: '<https://example.org>' } });
    expect(read.bytes.toString()).toBe('for all');
  }
});

test('an object id is accepted in every format that Sui accepts', async () => {
  const { url, objectId } = await startWithAttributes({});
  const digits = objectId.slice(2);
  for (const spelling of [digits, `0x${digits.toUpperCase()}`]) {
    expect((await rawRead(`${url}/v1/blobs/by-object-id/${spelling}`)).status).toBe(200);
  }
  const short = await fetch(`${url}/v1/blobs/by-object-id/0x2`);
  expect(await refusal(short)).toEqual({ status: 404, reason: 'BLOB_NOT_FOUND' });
});

test.each([
  [`0x${'ab'.repeat(32)}`, 404, 'BLOB_NOT_FOUND'],
  [`0x${'ab'.repeat(32)}?cb=1`, 400, 'MALFORMED_REQUEST'],
  [
    `0x${'ab'.repeat(32)}?strict_consistency_check=true&skip_consistency_check=true`,
    400,
    'INVALID_CONSISTENCY_CHECK',
  ],
  ['0x', 400, 'INVALID_ID_FORMAT'],
  [`0x${'ab'.repeat(33)}`, 400, 'INVALID_ID_FORMAT'],
  ['ab'.repeat(31), 400, 'INVALID_ID_FORMAT'],
  [`0X${'ab'.repeat(32)}`, 400, 'INVALID_ID_FORMAT'],
  ['A'.repeat(43), 400, 'INVALID_ID_FORMAT'],
])('object %s responds %i %s', async (id, status, reason) => {
  const { url } = await startStore();
  const response = await fetch(`${url}/v1/blobs/by-object-id/${id}`);
  expect(await refusal(response)).toEqual({ status, reason });
});

test('an expired object is missing, even if another one keeps the blob', async () => {
  const { url, admin } = await startStore();
  const { blobObject } = await putNew(url, 'twice', '?epochs=1');
  const blobId = await blobIdOf(url, 'twice', '?epochs=5');
  await admin.advanceEpoch();
  const gone = await fetch(`${url}/v1/blobs/by-object-id/${blobObject.id}`);
  expect(await refusal(gone)).toEqual({ status: 404, reason: 'BLOB_NOT_FOUND' });
  expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(200);
});
