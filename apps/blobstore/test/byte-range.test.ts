import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { blockBytes } from '../src/storage/block-digests.ts';
import { rawRead } from './raw-read.ts';
import { blobIdOf, refusal, sharedStore, startStore } from './running-store.ts';

const store = sharedStore();
const unknownId = 'A'.repeat(43);

describe('byte-range', () => {
  test('a part is a complete response: 200, with a separate tag', async () => {
    const url = store();
    const blobId = await blobIdOf(url, '0123456789');
    for (const method of ['GET', 'HEAD']) {
      const read = await rawRead(`${url}/v1/blobs/${blobId}/byte-range?start=2&length=3`, {
        method,
        // Ignored here, because the range is in the query
        headers: { range: 'bytes=0-0' },
      });
      expect(read.status).toBe(200);
      expect(read.headers).toMatchObject({
        etag: `${blobId}-2-3`,
        'content-length': '3',
        'cache-control': 'public, max-age=86400, stale-while-revalidate=3600',
        'x-content-type-options': 'nosniff',
        'content-security-policy': 'sandbox',
      });
      for (const name of ['content-range', 'content-type', 'accept-ranges']) {
        expect(read.headers).not.toHaveProperty(name);
      }
      expect(read.bytes.toString()).toBe(method === 'GET' ? '234' : '');
    }
  });

  test.each([
    ['start=0&length=10', '0123456789'],
    ['length=1&start=9', '9'],
    ['start=00000000000000000000000000000000001&length=0002', '12'],
    ['start=%2B1&length=%2B2', '12'],
  ])('"%s" returns %s', async (query, expected) => {
    const url = store();
    const blobId = await blobIdOf(url, '0123456789');
    const response = await fetch(`${url}/v1/blobs/${blobId}/byte-range?${query}`);
    expect(await response.text()).toBe(expected);
  });

  test("the client's content type is mirrored, as in any read", async () => {
    const url = store();
    const blobId = await blobIdOf(url, '0123456789');
    const path = `${url}/v1/blobs/${blobId}/byte-range?start=0&length=1`;
    expect((await rawRead(path, { headers: { accept: 'image/png' } })).headers['content-type']).toBe(
      'image/png',
    );
  });

  test.each([
    ['start=0&length=0', 'INVALID_BYTE_RANGE'],
    ['start=10&length=1', 'INVALID_BYTE_RANGE'],
    ['start=0&length=11', 'INVALID_BYTE_RANGE'],
    ['start=18446744073709551615&length=1', 'INVALID_BYTE_RANGE'],
    ['start=9007199254740993&length=1', 'INVALID_BYTE_RANGE'],
    ['start=18446744073709551616&length=1', 'MALFORMED_REQUEST'],
    ['start=0', 'MALFORMED_REQUEST'],
    ['length=1', 'MALFORMED_REQUEST'],
    ['', 'MALFORMED_REQUEST'],
    ['start=&length=1', 'MALFORMED_REQUEST'],
    ['start=-1&length=1', 'MALFORMED_REQUEST'],
    ['start=1.5&length=1', 'MALFORMED_REQUEST'],
    ['start=1e1&length=1', 'MALFORMED_REQUEST'],
    ['start=0x1&length=1', 'MALFORMED_REQUEST'],
    ['start=+1&length=1', 'MALFORMED_REQUEST'],
    ['start=0&length=1&length=1', 'MALFORMED_REQUEST'],
    ['start=0&length=1&strict_consistency_check=true', 'MALFORMED_REQUEST'],
  ])('"%s" is rejected with 400 %s', async (query, reason) => {
    const url = store();
    const blobId = await blobIdOf(url, '0123456789');
    const response = await fetch(`${url}/v1/blobs/${blobId}/byte-range?${query}`);
    expect(await refusal(response)).toEqual({ status: 400, reason });
  });

  test('invalid parameters are reported before a missing blob', async () => {
    const url = store();
    const path = (id: string, length: number) => `${url}/v1/blobs/${id}/byte-range?start=0&length=${length}`;
    expect(await refusal(await fetch(path(unknownId, 1)))).toEqual({ status: 404, reason: 'BLOB_NOT_FOUND' });
    expect(await refusal(await fetch(path(unknownId, 0)))).toEqual({
      status: 400,
      reason: 'INVALID_BYTE_RANGE',
    });
    expect(await refusal(await fetch(path('short', 1)))).toEqual({
      status: 400,
      reason: 'INVALID_ID_FORMAT',
    });
  });

  test('ranges around block boundaries are exact to the byte', async () => {
    const url = store();
    const blob = randomBytes(3 * blockBytes + 10);
    const blobId = await blobIdOf(url, blob);
    const borders = [0, 1, blockBytes - 1, blockBytes, blockBytes + 1, 2 * blockBytes, 3 * blockBytes];
    for (const start of borders) {
      for (const end of [...borders, blob.length - 1].filter((border) => border >= start)) {
        const query = `start=${start}&length=${end - start + 1}`;
        const read = await rawRead(`${url}/v1/blobs/${blobId}/byte-range?${query}`);
        expect(blob.subarray(start, end + 1).equals(read.bytes)).toBe(true);
        const range = { range: `bytes=${start}-${end}` };
        const partial = await rawRead(`${url}/v1/blobs/${blobId}`, { headers: range });
        expect(partial.bytes.equals(read.bytes)).toBe(true);
      }
    }
  });
});

describe('stream', () => {
  test('sends the whole blob, with a header that marks it as streamed', async () => {
    const url = store();
    for (const content of [Buffer.alloc(0), randomBytes(5), randomBytes(2 * blockBytes + 1)]) {
      const blobId = await blobIdOf(url, content);
      const path = `${url}/v1alpha/blobs/${blobId}/stream`;
      for (const method of ['GET', 'HEAD']) {
        const read = await rawRead(path, { method, headers: { range: 'bytes=0-0' } });
        expect(read.status).toBe(200);
        expect(read.headers).toMatchObject({
          'x-walrus-streaming': 'true',
          'content-length': String(content.length),
          'cache-control': 'public, max-age=86400, stale-while-revalidate=3600',
          'x-content-type-options': 'nosniff',
          'content-security-policy': 'sandbox',
          etag: blobId,
        });
        expect(read.headers).not.toHaveProperty('content-type');
        expect(read.bytes.equals(method === 'GET' ? content : Buffer.alloc(0))).toBe(true);
      }
      // The query is ignored, as upstream.
      expect((await fetch(`${path}?cb=1`)).status).toBe(200);
    }
  });

  test("the 404 has upstream's shorter message, even with the headers of a cache", async () => {
    const { url, admin } = await startStore();
    const message = 'the requested blob ID does not exist on Walrus';
    for (const age of [false, true]) {
      if (age) admin.faults.add({ operation: 'read', fault: 'CACHED_NOT_FOUND' });
      const response = await fetch(`${url}/v1alpha/blobs/${unknownId}/stream`);
      expect(response.headers.has('age')).toBe(age);
      expect(await response.json()).toHaveProperty('error.message', message);
    }
  });

  test.each([
    [unknownId, 404, 'BLOB_NOT_FOUND'],
    ['short', 400, 'INVALID_ID_FORMAT'],
  ])('%s responds %i %s', async (id, status, reason) => {
    const response = await fetch(`${store()}/v1alpha/blobs/${id}/stream`);
    expect(response.headers.get('x-walrus-streaming')).toBeNull();
    expect(await refusal(response)).toEqual({ status, reason });
  });
});
