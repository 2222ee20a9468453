import { createHash, randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { blockBytes } from '../src/storage/block-digests.ts';
import { rawRead } from './raw-read.ts';
import {
  blobIdOf,
  type ErrorAnswer,
  putNew,
  refusal,
  sharedStore,
  startStore,
  temporaryDirectory,
} from './running-store.ts';
import { fileOf, flipBit } from './stored-files.ts';

const unknownId = 'A'.repeat(43);
const unknownObject = `0x${'ab'.repeat(32)}`;
const path = '/v1alpha/blobs/concat';
const json = { 'content-type': 'application/json' };
const store = sharedStore();

function post(url: string, body: unknown, headers: Record<string, string> = json) {
  return rawRead(`${url}${path}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

function refusalOf(read: { status: number; bytes: Buffer }): { status: number; reason: unknown } {
  const { error } = JSON.parse(read.bytes.toString()) as ErrorAnswer;
  return { status: read.status, reason: error.details[0]?.reason };
}

function tagOf(ids: string[]): string {
  return createHash('sha256').update(ids.join(',')).digest('base64url');
}

describe('with GET', () => {
  test('sends the blobs one after another, in chunks, including duplicates', async () => {
    const url = store();
    const large = randomBytes(2 * blockBytes + 3);
    const ids = [
      await blobIdOf(url, 'first,'),
      await blobIdOf(url, large),
      await blobIdOf(url, ''),
      (await putNew(url, 'last')).blobObject.id,
      await blobIdOf(url, 'first,'),
    ];
    const read = await rawRead(`${url}${path}?ids=${ids.join(',')}`);
    expect(read.status).toBe(200);
    expect(read.headers).toMatchObject({
      'transfer-encoding': 'chunked',
      'cache-control': 'public, max-age=86400, stale-while-revalidate=3600',
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      etag: tagOf(ids),
    });
    expect(read.headers).not.toHaveProperty('content-type');
    const expected = Buffer.concat([Buffer.from('first,'), large, Buffer.from('lastfirst,')]);
    expect(expected.equals(read.bytes)).toBe(true);
  });

  test('HEAD returns only the headers', async () => {
    const url = store();
    const blobId = await blobIdOf(url, 'first');
    const read = await rawRead(`${url}${path}?ids=${blobId}`, { method: 'HEAD' });
    expect(read).toMatchObject({ status: 200, headers: { etag: tagOf([blobId]) } });
    expect(read.headers).not.toHaveProperty('content-length');
    expect(read.bytes.length).toBe(0);
  });

  test('ignores spaces and empty entries', async () => {
    const url = store();
    const [first, second] = [await blobIdOf(url, 'a'), await blobIdOf(url, 'b')];
    const read = await rawRead(`${url}${path}?ids=,%20${first}%20,,+${second},`);
    expect(read.bytes.toString()).toBe('ab');
    expect(read.headers.etag).toBe(tagOf([first, second]));
  });

  test('accepts the consistency flags', async () => {
    const url = store();
    const blobId = await blobIdOf(url, 'checked');
    for (const flag of ['strict_consistency_check=true', 'skip_consistency_check=true']) {
      expect((await rawRead(`${url}${path}?ids=${blobId}&${flag}`)).bytes.toString()).toBe('checked');
    }
  });

  test.each([
    ['', 400, 'MALFORMED_REQUEST'],
    ['?ids=', 400, 'MALFORMED_REQUEST'],
    ['?ids=,%20,', 400, 'MALFORMED_REQUEST'],
    [`?ids=${unknownId}&ids=${unknownId}`, 400, 'MALFORMED_REQUEST'],
    [`?ids=${unknownId}&cb=1`, 400, 'MALFORMED_REQUEST'],
    [`?ids=${unknownId}&skip_consistency_check=1`, 400, 'MALFORMED_REQUEST'],
    [
      `?ids=${unknownId}&strict_consistency_check=true&skip_consistency_check=true`,
      400,
      'INVALID_CONSISTENCY_CHECK',
    ],
    ['?ids=neither', 400, 'INVALID_ID_FORMAT'],
    [`?ids=${unknownId}`, 404, 'BLOB_NOT_FOUND'],
    [`?ids=${unknownObject}`, 404, 'OBJECT_ID_RESOLUTION_FAILED'],
  ])('"%s" responds %i %s', async (query, status, reason) => {
    expect(await refusal(await fetch(`${store()}${path}${query}`))).toEqual({ status, reason });
  });

  test('rejects the whole request before sending any byte if one id is unreadable', async () => {
    const url = store();
    const blobId = await blobIdOf(url, 'there');
    for (const [bad, status] of [
      [unknownId, 404],
      [unknownObject, 404],
      ['neither', 400],
    ]) {
      expect((await fetch(`${url}${path}?ids=${blobId},${bad}`)).status).toBe(status);
    }
  });
});

describe('with POST', () => {
  test('does the same, with more ids than fit in a query', async () => {
    const url = store();
    const blobId = await blobIdOf(url, '0123456789');
    const ids = Array.from({ length: 2000 }, () => blobId);
    const read = await post(url, { ids, strict_consistency_check: null, skip_consistency_check: true });
    expect(read).toMatchObject({ status: 200, complete: true, headers: { etag: tagOf(ids) } });
    expect(read.bytes.toString()).toBe('0123456789'.repeat(2000));
    // The content type of the request body does not apply to the blobs.
    expect(read.headers).not.toHaveProperty('content-type');
    const accepted = await post(url, { ids: [blobId] }, { ...json, accept: 'image/png' });
    expect(accepted.headers['content-type']).toBe('image/png');
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
    'accepts %s as JSON',
    async (type) => {
      const url = store();
      const blobId = await blobIdOf(url, 'x');
      expect((await post(url, { ids: [blobId] }, { 'content-type': type })).status).toBe(200);
    },
  );

  test.each(['', 'text/json', 'text/plain', 'application/jsonp', 'application/x-www-form-urlencoded', ';;'])(
    'rejects the content type "%s" with 415',
    async (type) => {
      const headers = type === '' ? {} : { 'content-type': type };
      const read = await post(store(), { ids: [unknownId] }, headers as Record<string, string>);
      expect(refusalOf(read)).toEqual({ status: 415, reason: 'UNSUPPORTED_MEDIA_TYPE' });
    },
  );

  test.each(['', '{', '{"ids":["a"]} trailing', "{'ids':[]}", '\uFEFF{"ids":["a"]}', '[1,]'])(
    'rejects the body "%s", which is not JSON, with 400',
    async (body) => {
      expect(refusalOf(await post(store(), body))).toEqual({ status: 400, reason: 'MALFORMED_REQUEST' });
    },
  );

  test.each([
    '[]',
    'null',
    '"ids"',
    '7',
    '{}',
    '{"ids":"a"}',
    '{"ids":null}',
    '{"ids":[1]}',
    '{"ids":["a",null]}',
    '{"ids":["a"],"cb":1}',
    '{"ids":["a"],"__proto__":{}}',
    '{"ids":["a"],"strict_consistency_check":"true"}',
    '{"ids":["a"],"skip_consistency_check":1}',
  ])('rejects the body %s, which has another structure, with 422', async (body) => {
    expect(refusalOf(await post(store(), body))).toEqual({ status: 422, reason: 'MALFORMED_REQUEST' });
  });

  test('rejects an empty list, both flags together, and an unknown id', async () => {
    const url = store();
    expect(refusalOf(await post(url, { ids: [] }))).toEqual({ status: 400, reason: 'MALFORMED_REQUEST' });
    const both = { ids: ['a'], strict_consistency_check: true, skip_consistency_check: true };
    expect(refusalOf(await post(url, both))).toEqual({ status: 400, reason: 'INVALID_CONSISTENCY_CHECK' });
    expect(refusalOf(await post(url, { ids: [unknownId] })).status).toBe(404);
    // Unlike in the query, spaces are not removed.
    expect(refusalOf(await post(url, { ids: [` ${unknownId}`] }))).toEqual({
      status: 400,
      reason: 'INVALID_ID_FORMAT',
    });
  });

  test('reads a body of 2 MiB, and rejects one byte more, announced or not', async () => {
    const url = store();
    const frame = JSON.stringify({ ids: [''] }).length;
    const bodyOf = (bytes: number) => JSON.stringify({ ids: ['x'.repeat(bytes - frame)] });
    const limit = 2 * 1024 * 1024;
    for (const headers of [json, { ...json, 'transfer-encoding': 'chunked' }]) {
      expect(refusalOf(await post(url, bodyOf(limit), headers))).toEqual({
        status: 400,
        reason: 'INVALID_ID_FORMAT',
      });
      expect(refusalOf(await post(url, bodyOf(limit + 1), headers))).toEqual({
        status: 413,
        reason: 'PAYLOAD_TOO_LARGE',
      });
    }
  });
});

test('takes attributes only from the first id, if that is an object', async () => {
  const { url, admin } = await startStore();
  const [first, second] = [await putNew(url, '<p>'), await putNew(url, 'b')];
  await admin.setAttributes(first.blobObject.id, { 'content-type': 'text/html' });
  await admin.setAttributes(second.blobObject.id, { 'content-language': 'de' });
  const read = async (...ids: string[]) => (await rawRead(`${url}${path}?ids=${ids.join(',')}`)).headers;
  const both = await read(first.blobObject.id, second.blobObject.id);
  expect(both['content-type']).toBe('text/html');
  expect(both).not.toHaveProperty('content-language');
  expect(await read(first.blobObject.blobId, first.blobObject.id)).not.toHaveProperty('content-type');
});

describe('failures during the response', () => {
  const first = randomBytes(1000);
  const second = randomBytes(1000);

  async function startWithTwo() {
    const dataDir = await temporaryDirectory();
    const { url } = await startStore({ dataDir });
    const ids = [await blobIdOf(url, first), await blobIdOf(url, second)] as const;
    return { dataDir, ids, target: (...wanted: string[]) => `${url}${path}?ids=${wanted.join(',')}` };
  }

  test("damage in a blob closes the connection before the blob's first byte", async () => {
    const { dataDir, ids, target } = await startWithTwo();
    await flipBit(await fileOf(dataDir, ids[1]), 0);
    const cut = await rawRead(target(...ids));
    expect(cut).toMatchObject({ status: 200, complete: false });
    expect(first.subarray(0, cut.bytes.length).equals(cut.bytes)).toBe(true);
    const atOnce = await fetch(target(ids[1], ids[0]));
    expect(await refusal(atOnce)).toEqual({ status: 500, reason: 'INTERNAL_ERROR' });
  });

  test('a missing file closes the connection, or is a 503 if it is the first', async () => {
    const { dataDir, ids, target } = await startWithTwo();
    await rename(await fileOf(dataDir, ids[1]), `${dataDir}/elsewhere`);
    const cut = await rawRead(target(...ids));
    expect(cut).toMatchObject({ status: 200, complete: false });
    const atOnce = await fetch(target(ids[1], ids[0]));
    expect(await refusal(atOnce)).toEqual({ status: 503, reason: 'BLOB_UNAVAILABLE' });
  });
});
