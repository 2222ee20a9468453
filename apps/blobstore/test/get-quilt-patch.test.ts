import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { putQuilt, quiltIdOf } from './quilt-client.ts';
import { encodeInMemory, memoryFile } from './quilt-in-memory.ts';
import { blobIdOf, patient, refusal, sharedStore, startStore, temporaryDirectory } from './running-store.ts';

const unknownId = 'A'.repeat(43);

describe('a patch', () => {
  const store = sharedStore();

  async function storeTagged() {
    const answer = await putQuilt(store(), { 'a file.txt': 'hello', plain: 'plain content' }, [
      {
        identifier: 'a file.txt',
        tags: {
          'Content-Type': 'text/markdown',
          'content-disposition': 'inline',
          'cache-control': 'no-store',
          ETag: 'mine',
          'content-length': '1',
          'content-security-policy': 'default-src *',
          'x-other': 'tag',
          'content-language': 'a\nb',
          '': 'nameless',
        },
      },
    ]);
    const [tagged] = answer.storedQuiltBlobs;
    return { quiltId: quiltIdOf(answer), patchId: tagged?.quiltPatchId ?? '' };
  }

  test('is read by its id, and by its quilt and name, with the headers of the aggregator', async () => {
    const url = store();
    const { quiltId, patchId } = await storeTagged();
    for (const path of [`by-quilt-patch-id/${patchId}`, `by-quilt-id/${quiltId}/a%20file.txt`]) {
      for (const method of ['GET', 'HEAD']) {
        const response = await fetch(`${url}/v1/blobs/${path}`, { method });
        expect(response.status).toBe(200);
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'x-content-type-options': 'nosniff',
          'content-security-policy': 'sandbox',
          'cache-control': 'public, max-age=86400, stale-while-revalidate=3600',
          etag: quiltId,
          'content-length': '5',
          'x-quilt-patch-identifier': 'a file.txt',
          'content-type': 'text/markdown',
          'content-disposition': 'inline',
        });
        expect(response.headers.get('x-other')).toBeNull();
        expect(response.headers.get('content-language')).toBeNull();
        expect(await response.text()).toBe(method === 'GET' ? 'hello' : '');
      }
    }
  });

  test('without tags has only the content type that the request accepts', async () => {
    const url = store();
    const { quiltId } = await storeTagged();
    const path = `${url}/v1/blobs/by-quilt-id/${quiltId}/plain`;
    expect((await fetch(path)).headers.get('content-type')).toBeNull();
    expect((await fetch(path, { headers: { accept: 'image/png' } })).headers.get('content-type')).toBe(
      'image/png',
    );
  });

  test('prefers the content type that the request accepts to that of its tags', async () => {
    const { patchId } = await storeTagged();
    const response = await fetch(`${store()}/v1/blobs/by-quilt-patch-id/${patchId}`, {
      headers: { accept: 'image/png' },
    });
    expect(response.headers.get('content-type')).toBe('image/png');
  });

  test('is always sent completely, ignoring range and query', async () => {
    const { patchId } = await storeTagged();
    const response = await fetch(`${store()}/v1/blobs/by-quilt-patch-id/${patchId}?cb=1&strict=x`, {
      headers: { range: 'bytes=0-1' },
    });
    expect([response.status, await response.text()]).toEqual([200, 'hello']);
  });

  test('whose identifier is not a valid header value is sent without that header', async () => {
    const url = store();
    const answer = await putQuilt(url, { 'größe/é': 'x' });
    const path = `${url}/v1/blobs/by-quilt-id/${quiltIdOf(answer)}/${encodeURIComponent('größe/é')}`;
    const response = await fetch(path);
    expect([response.status, await response.text()]).toEqual([200, 'x']);
    expect(response.headers.get('x-quilt-patch-identifier')).toBeNull();
  });

  test('may be empty, and may have a very long name', async () => {
    const url = store();
    const long = 'n'.repeat(65_000);
    const answer = await putQuilt(url, { empty: '', [long]: 'found' });
    const base = `${url}/v1/blobs/by-quilt-id/${quiltIdOf(answer)}`;
    const empty = await fetch(`${base}/empty`);
    expect([empty.status, empty.headers.get('content-length'), await empty.text()]).toEqual([200, '0', '']);
    expect(await (await fetch(`${base}/${long}`)).text()).toBe('found');
  });
});

test('with --allow-quilt-patch-tags-in-response has all tags that are valid headers', async () => {
  const { url } = await startStore({ allowsAllTagHeaders: true });
  const tags = {
    'x-other': 'tag',
    'transfer-encoding': 'chunked',
    'content-length': '99',
    connection: 'close',
    etag: 'mine',
    'x-quilt-patch-identifier': 'mine',
    'access-control-allow-origin': 'https://example.org',
    'not a header': 'x',
  };
  const answer = await putQuilt(url, { a: 'hello' }, [{ identifier: 'a', tags }]);
  const response = await fetch(`${url}/v1/blobs/by-quilt-id/${quiltIdOf(answer)}/a`);
  expect(await response.text()).toBe('hello');
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-other': 'tag',
    'content-length': '5',
    etag: quiltIdOf(answer),
    'x-quilt-patch-identifier': 'a',
    'access-control-allow-origin': '*',
  });
  expect(response.headers.get('transfer-encoding')).toBeNull();
});

describe('the patches of a quilt are listed', () => {
  const store = sharedStore();

  test.each(['/v1/quilts', '/quilts'])(
    'at %s/{id}/patches, with exactly the documented keys',
    async (base) => {
      const url = store();
      const answer = await putQuilt(url, { b: '2', a: '1' }, [
        { identifier: 'a', tags: { zz: '1', '10': 'ten', '9': 'nine', é: 'é' } },
      ]);
      const ids = answer.storedQuiltBlobs.map(({ quiltPatchId }) => quiltPatchId);
      const response = await fetch(`${url}${base}/${quiltIdOf(answer)}/patches`);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.text()).toBe(
        `[{"identifier":"a","patch_id":"${ids[0]}","tags":{"10":"ten","9":"nine","zz":"1","é":"é"}},` +
          `{"identifier":"b","patch_id":"${ids[1]}","tags":{}}]`,
      );
      expect((await fetch(`${url}${base}/${quiltIdOf(answer)}/patches`, { method: 'HEAD' })).status).toBe(
        200,
      );
      expect((await fetch(`${url}${base}/${quiltIdOf(answer)}/patches`, { method: 'POST' })).status).toBe(
        405,
      );
    },
  );

  test('even if the quilt was packed elsewhere and stored as a plain blob', async () => {
    const url = store();
    const content = randomBytes(2000);
    const { quilt } = await encodeInMemory([memoryFile('packed elsewhere', content, { k: 'v' })], 31);
    const quiltId = await blobIdOf(url, quilt);
    const list = await fetch(`${url}/v1/quilts/${quiltId}/patches`);
    const [patch] = (await list.json()) as { identifier: string; patch_id: string; tags: object }[];
    expect(patch).toMatchObject({ identifier: 'packed elsewhere', tags: { k: 'v' } });
    const read = await fetch(`${url}/v1/blobs/by-quilt-patch-id/${patch?.patch_id}`);
    expect(content.equals(Buffer.from(await read.arrayBuffer()))).toBe(true);
  });
});

test('of a quilt is limited by --max-blob-size, not the whole quilt', async () => {
  const { url } = await startStore({ limits: { maxBlobBytes: 4000 } });
  const answer = await putQuilt(url, { small: 'x', large: randomBytes(20_000) });
  const base = `${url}/v1/blobs/by-quilt-id/${quiltIdOf(answer)}`;
  expect((await fetch(`${url}/v1/blobs/${quiltIdOf(answer)}`)).status).toBe(403);
  expect((await fetch(`${url}/v1/quilts/${quiltIdOf(answer)}/patches`)).status).toBe(200);
  expect(await (await fetch(`${base}/small`)).text()).toBe('x');
  expect(await refusal(await fetch(`${base}/large`))).toEqual({ status: 403, reason: 'BLOB_TOO_LARGE' });
});

describe('rejections', () => {
  const store = sharedStore();
  const patchOf = (id: string, version: number, start: number, end: number) =>
    Buffer.concat([
      Buffer.from(id, 'base64url'),
      Buffer.from([version, start & 255, start >> 8, end & 255, end >> 8]),
    ]).toString('base64url');

  test.each([
    ['/v1/blobs/by-quilt-patch-id/short', 400, 'INVALID_ID_FORMAT'],
    [`/v1/blobs/by-quilt-patch-id/${unknownId}`, 400, 'INVALID_ID_FORMAT'],
    [`/v1/blobs/by-quilt-patch-id/${patchOf(unknownId, 2, 1, 2)}`, 400, 'INVALID_ID_FORMAT'],
    [`/v1/blobs/by-quilt-patch-id/${patchOf(unknownId, 1, 2, 2)}`, 400, 'INVALID_ID_FORMAT'],
    [`/v1/blobs/by-quilt-patch-id/${patchOf(unknownId, 1, 0, 2)}`, 400, 'INVALID_ID_FORMAT'],
    [`/v1/blobs/by-quilt-patch-id/${patchOf(unknownId, 1, 1, 2)}`, 404, 'BLOB_NOT_FOUND'],
    [`/v1/blobs/by-quilt-patch-id/${patchOf(unknownId, 1, 1, 2)}A`, 400, 'INVALID_ID_FORMAT'],
    ['/v1/blobs/by-quilt-id/short/a', 400, 'INVALID_ID_FORMAT'],
    [`/v1/blobs/by-quilt-id/${unknownId}/a`, 404, 'BLOB_NOT_FOUND'],
    [`/v1/blobs/by-quilt-id/${unknownId}/%ff`, 400, 'MALFORMED_REQUEST'],
    [`/v1/blobs/by-quilt-id/${unknownId}/a/b`, 404, 'ROUTE_NOT_FOUND'],
    ['/v1/quilts/short/patches', 400, 'INVALID_ID_FORMAT'],
    [`/v1/quilts/${unknownId}/patches`, 404, 'BLOB_NOT_FOUND'],
    [`/quilts/${unknownId}/patches`, 404, 'BLOB_NOT_FOUND'],
  ])('%s', async (path, status, reason) => {
    expect(await refusal(await fetch(`${store()}${path}`))).toEqual({ status, reason });
  });

  test('a patch that is not in the quilt is 404, by name and by id', async () => {
    const url = store();
    const answer = await putQuilt(url, { a: 'x', b: 'y' });
    const quiltId = quiltIdOf(answer);
    const [start, end] = answer.storedQuiltBlobs[0]?.range ?? [0, 0];
    for (const path of [
      `by-quilt-id/${quiltId}/c`,
      `by-quilt-id/${quiltId}/A`,
      `by-quilt-patch-id/${patchOf(quiltId, 1, start, end + 1)}`,
      `by-quilt-patch-id/${patchOf(quiltId, 1, 20, 21)}`,
      `by-quilt-patch-id/${patchOf(quiltId, 1, 1, 65_535)}`,
    ]) {
      const response = await fetch(`${url}/v1/blobs/${path}`);
      expect(await refusal(response)).toEqual({ status: 404, reason: 'QUILT_PATCH_NOT_FOUND' });
    }
  });

  test.each([
    ['of another length', 'hello'],
    ['of zeros', Buffer.alloc(462)],
    ['that begins like one', Buffer.alloc(462, 1)],
    ['of random bytes', randomBytes(231 * 5000)],
    ['that is empty', ''],
  ])('a blob %s is not a quilt', async (_name, content) => {
    const url = store();
    const blobId = await blobIdOf(url, content);
    for (const path of [
      `/v1/blobs/by-quilt-id/${blobId}/a`,
      `/v1/blobs/by-quilt-patch-id/${patchOf(blobId, 1, 1, 2)}`,
      `/v1/quilts/${blobId}/patches`,
    ]) {
      expect(await refusal(await fetch(`${url}${path}`))).toEqual({ status: 400, reason: 'NOT_A_QUILT' });
    }
  });
});

test.skipIf(!existsSync('/proc/self/fd'))(
  'leaves no file open, whether a patch is read, aborted, requested by HEAD or missing',
  async () => {
    const dataDir = await temporaryDirectory();
    const { url } = await startStore({ dataDir });
    const answer = await putQuilt(url, { large: randomBytes(6_000_000), other: 'x' });
    const quiltId = quiltIdOf(answer);
    const base = `${url}/v1/blobs/by-quilt-id/${quiltId}`;
    for (let round = 0; round < 5; round += 1) {
      expect((await (await fetch(`${base}/large`)).arrayBuffer()).byteLength).toBe(6_000_000);
      expect((await fetch(`${base}/large`, { method: 'HEAD' })).status).toBe(200);
      expect((await fetch(`${base}/nobody`)).status).toBe(404);
      expect((await fetch(`${url}/v1/quilts/${quiltId}/patches`)).status).toBe(200);
      const cut = new AbortController();
      await (await fetch(`${base}/large`, { signal: cut.signal })).body?.getReader().read();
      cut.abort();
    }
    const openFiles = async () => {
      const links = (await readdir('/proc/self/fd')).map((fd) =>
        readlink(`/proc/self/fd/${fd}`).catch(() => ''),
      );
      return (await Promise.all(links)).filter((path) => path.includes(quiltId));
    };
    await expect.poll(openFiles, patient).toEqual([]);
  },
);
