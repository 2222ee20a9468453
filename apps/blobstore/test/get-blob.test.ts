import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, truncate } from 'node:fs/promises';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { blockBytes } from '../src/storage/block-digests.ts';
import { rawRead } from './raw-read.ts';
import {
  blobIdOf,
  type ErrorAnswer,
  refusal,
  sharedStore,
  startStore,
  temporaryDirectory,
} from './running-store.ts';
import { blockFileOf, fileOf, flipBit } from './stored-files.ts';

const unknownId = 'A'.repeat(43);

test('a read has the headers of the aggregator', async () => {
  const { url } = await startStore();
  const blobId = await blobIdOf(url, 'hello');
  for (const method of ['GET', 'HEAD']) {
    const response = await fetch(`${url}/v1/blobs/${blobId}`, { method });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toBe('sandbox');
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400, stale-while-revalidate=3600');
    expect(response.headers.get('etag')).toBe(blobId);
    expect(response.headers.get('content-length')).toBe('5');
    expect(response.headers.get('content-type')).toBeNull();
    expect(response.headers.get('content-range')).toBeNull();
    expect(await response.text()).toBe(method === 'GET' ? 'hello' : '');
  }
});

test.each([
  ['image/png', undefined, 'GET', 'image/png'],
  ['text/html, application/json', undefined, 'GET', 'text/html, application/json'],
  ['*/*', undefined, 'GET', null],
  ['text/html, */*', 'image/gif', 'GET', 'image/gif'],
  ['image/png', 'image/gif', 'GET', 'image/png'],
  ['image/png', undefined, 'HEAD', 'image/png'],
  ['*/*', 'image/gif', 'HEAD', null],
])('Accept %s with content type %s on %s returns %s', async (accept, type, method, expected) => {
  const { url } = await startStore();
  const blobId = await blobIdOf(url, 'hello');
  const headers = { accept, ...(type === undefined ? {} : { 'content-type': type }) };
  const response = await fetch(`${url}/v1/blobs/${blobId}`, { method, headers });
  expect(response.headers.get('content-type')).toBe(expected);
});

test('uses the first of repeated headers, and mirrors an empty one', async () => {
  const { url } = await startStore();
  const target = `${url}/v1/blobs/${await blobIdOf(url, 'hello')}`;
  const typeOf = async (headers: Record<string, string | string[]>) =>
    (await rawRead(target, { headers })).headers['content-type'];
  expect(await typeOf({ accept: ['image/png', '*/*'] })).toBe('image/png');
  expect(await typeOf({ accept: ['*/*', 'image/png'] })).toBeUndefined();
  expect(await typeOf({ accept: '', 'content-type': 'image/gif' })).toBe('');
});

describe('ranges', () => {
  const store = sharedStore();

  test.each([
    ['bytes=0-0', '0', '0-0'],
    ['bytes=2-5', '2345', '2-5'],
    ['bytes=0-9', '0123456789', '0-9'],
    ['  bytes=1-2  ', '12', '1-2'],
    ['bytes=7-', '789', '7-9'],
    ['bytes=0-', '0123456789', '0-9'],
    ['bytes=-3', '789', '7-9'],
    ['bytes=-99', '0123456789', '0-9'],
  ])('"%s" is answered with 206', async (range, body, contentRange) => {
    const url = store();
    const blobId = await blobIdOf(url, '0123456789');
    for (const flags of ['', '?skip_consistency_check=true', '?strict_consistency_check=true']) {
      const response = await fetch(`${url}/v1/blobs/${blobId}${flags}`, { headers: { range } });
      expect(response.status).toBe(206);
      expect(response.headers.get('content-range')).toBe(`bytes ${contentRange}/10`);
      expect(response.headers.get('content-length')).toBe(String(body.length));
      expect(response.headers.get('etag')).toBe(blobId);
      expect(await response.text()).toBe(body);
    }
  });

  test.each([
    'bytes=0-10',
    'bytes=10-',
    'bytes=5-4',
    'bytes=-0',
    'bytes=-',
    'bytes=',
    'bytes=a-b',
    'bytes=0-1,3-4',
    'bytes 0-1',
    'items=0-1',
    'Bytes=0-1',
  ])('"%s" is rejected with 416', async (range) => {
    const url = store();
    const blobId = await blobIdOf(url, '0123456789');
    const response = await fetch(`${url}/v1/blobs/${blobId}`, { headers: { range } });
    expect(response.headers.get('content-range')).toBe('bytes */10');
    expect(await refusal(response)).toEqual({ status: 416, reason: 'INVALID_BYTE_RANGE' });
  });

  test('of an empty blob are rejected', async () => {
    const url = store();
    const blobId = await blobIdOf(url, '');
    for (const range of ['bytes=0-0', 'bytes=0-', 'bytes=-1']) {
      expect((await fetch(`${url}/v1/blobs/${blobId}`, { headers: { range } })).status).toBe(416);
    }
  });
});

describe('rejections', () => {
  const store = sharedStore();

  test.each([
    [`/v1/blobs/${unknownId}`, 404, 'BLOB_NOT_FOUND'],
    ['/v1/blobs/short', 400, 'INVALID_ID_FORMAT'],
    [`/v1/blobs/${unknownId}A`, 400, 'INVALID_ID_FORMAT'],
    [`/v1/blobs/${unknownId}=`, 400, 'INVALID_ID_FORMAT'],
    [`/v1/blobs/${'A'.repeat(42)}+`, 400, 'INVALID_ID_FORMAT'],
    [`/v1/blobs/${'A'.repeat(42)}B`, 400, 'INVALID_ID_FORMAT'],
    [`/v1/blobs/${'x'.repeat(500)}`, 400, 'INVALID_ID_FORMAT'],
    [`/v1/blobs/${unknownId}?cb=1`, 400, 'MALFORMED_REQUEST'],
    [`/v1/blobs/${unknownId}?skip_consistency_check=1`, 400, 'MALFORMED_REQUEST'],
    [
      `/v1/blobs/${unknownId}?strict_consistency_check=true&skip_consistency_check=true`,
      400,
      'INVALID_CONSISTENCY_CHECK',
    ],
  ])('%s', async (path, status, reason) => {
    const url = store();
    expect(await refusal(await fetch(`${url}${path}`))).toEqual({ status, reason });
  });
});

describe('damage on disk', () => {
  const strict = '?strict_consistency_check=true';

  test('a flipped bit in a blob of one block is never served, unless the check is skipped', async () => {
    const dataDir = await temporaryDirectory();
    const { url } = await startStore({ dataDir });
    const blobId = await blobIdOf(url, randomBytes(1000));
    await flipBit(await fileOf(dataDir, blobId), 999);
    for (const flags of ['', strict, '?strict_consistency_check=false']) {
      for (const headers of [{}, { range: 'bytes=0-3' }]) {
        const response = await fetch(`${url}/v1/blobs/${blobId}${flags}`, { headers });
        expect(await refusal(response)).toEqual({ status: 500, reason: 'INTERNAL_ERROR' });
      }
    }
    const skipped = await fetch(`${url}/v1/blobs/${blobId}?skip_consistency_check=true`);
    expect(skipped.status).toBe(200);
    expect((await skipped.arrayBuffer()).byteLength).toBe(1000);
  });

  test('a flipped bit in a later block cuts the response before that block and fails the ranges that include it', async () => {
    const blob = randomBytes(8 * blockBytes);
    const dataDir = await temporaryDirectory();
    const log: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line) => log.push(line) });
    const { url } = await startStore({ dataDir, logger });
    const blobId = await blobIdOf(url, blob);
    const path = await fileOf(dataDir, blobId);
    const damagedAt = 6 * blockBytes + 5;
    await flipBit(path, damagedAt);
    const target = `${url}/v1/blobs/${blobId}`;

    const whole = await rawRead(target);
    expect(whole).toMatchObject({ status: 200, complete: false });
    expect(whole.bytes.length).toBeLessThanOrEqual(6 * blockBytes);
    expect(blob.subarray(0, whole.bytes.length).equals(whole.bytes)).toBe(true);
    expect(log.join('')).toContain(blobId);

    for (const [first, last] of [
      [0, 6 * blockBytes - 1],
      [blockBytes + 7, 5 * blockBytes + 7],
      [7 * blockBytes, 8 * blockBytes - 1],
    ] as const) {
      const intact = await rawRead(target, { headers: { range: `bytes=${first}-${last}` } });
      expect(intact).toMatchObject({ status: 206, complete: true });
      expect(blob.subarray(first, last + 1).equals(intact.bytes)).toBe(true);
    }
    for (const range of [`bytes=${6 * blockBytes}-${6 * blockBytes}`, `bytes=${7 * blockBytes - 1}-`]) {
      const response = await fetch(target, { headers: { range } });
      expect(await refusal(response)).toEqual({ status: 500, reason: 'INTERNAL_ERROR' });
    }
    const checked = await fetch(`${target}${strict}`);
    expect(await refusal(checked)).toEqual({ status: 500, reason: 'INTERNAL_ERROR' });
    const skipped = await rawRead(`${target}?skip_consistency_check=true`);
    expect(skipped.complete).toBe(true);
    expect(skipped.bytes.equals(await readFile(path))).toBe(true);

    await flipBit(path, damagedAt);
    expect(blob.equals((await rawRead(target)).bytes)).toBe(true);
  });

  test.each(['removed', 'damaged'])(
    '%s block digests are recomputed, only from intact content',
    async (how) => {
      const blob = randomBytes(3 * blockBytes + 1);
      const dataDir = await temporaryDirectory();
      const { url } = await startStore({ dataDir });
      const blobId = await blobIdOf(url, blob);
      const path = await fileOf(dataDir, blobId);
      const digestsPath = await blockFileOf(dataDir);
      const intact = await readFile(digestsPath);
      if (how === 'removed') await rm(digestsPath);
      else await flipBit(digestsPath, 33);

      await flipBit(path, blob.length - 1);
      const response = await fetch(`${url}/v1/blobs/${blobId}`, { headers: { range: 'bytes=0-0' } });
      expect(await refusal(response)).toEqual({ status: 500, reason: 'INTERNAL_ERROR' });
      await flipBit(path, blob.length - 1);
      const whole = await rawRead(`${url}/v1/blobs/${blobId}`);
      expect(blob.equals(whole.bytes)).toBe(true);
      expect(intact.equals(await readFile(digestsPath))).toBe(true);
    },
  );

  test('the error contains only the id of the log line', async () => {
    const dataDir = await temporaryDirectory();
    const { url } = await startStore({ dataDir });
    const blobId = await blobIdOf(url, 'hello');
    await flipBit(await fileOf(dataDir, blobId), 0);
    const headers = { 'x-request-id': 'find-me' };
    const response = await fetch(`${url}/v1/blobs/${blobId}`, { headers });
    expect(((await response.json()) as ErrorAnswer).error).toEqual({
      status: 'INTERNAL',
      code: 500,
      message: expect.any(String),
      details: [
        { '@type': 'ErrorInfo', reason: 'INTERNAL_ERROR', domain: 'daemon.walrus.space', metadata: {} },
        { '@type': 'DebugInfo', stackEntries: [], detail: 'TraceID: find-me' },
      ],
    });
  });

  test('storing the bytes again repairs them', async () => {
    const dataDir = await temporaryDirectory();
    const { url } = await startStore({ dataDir });
    const blobId = await blobIdOf(url, 'precious', '?permanent=true&epochs=3');
    await flipBit(await fileOf(dataDir, blobId), 0);
    await fetch(`${url}/v1/blobs?permanent=true`, { method: 'PUT', body: 'precious' });
    expect(await (await fetch(`${url}/v1/blobs/${blobId}`)).text()).toBe('precious');
  });

  test('a truncated file is an error with every check', async () => {
    const dataDir = await temporaryDirectory();
    const { url } = await startStore({ dataDir });
    const blobId = await blobIdOf(url, 'hello');
    await truncate(await fileOf(dataDir, blobId), 3);
    for (const flags of ['', '?strict_consistency_check=true', '?skip_consistency_check=true']) {
      expect((await fetch(`${url}/v1/blobs/${blobId}${flags}`)).status).toBe(500);
    }
  });

  test('a missing file is a 503, not a 404, because its object is still alive', async () => {
    const dataDir = await temporaryDirectory();
    const { url } = await startStore({ dataDir });
    const blobId = await blobIdOf(url, 'hello');
    const path = await fileOf(dataDir, blobId);
    await rename(path, `${dataDir}/elsewhere`);
    const response = await fetch(`${url}/v1/blobs/${blobId}`);
    expect(await refusal(response)).toEqual({ status: 503, reason: 'BLOB_UNAVAILABLE' });
    await rename(`${dataDir}/elsewhere`, path);
    expect((await fetch(`${url}/v1/blobs/${blobId}`)).status).toBe(200);
  });
});
