import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { putForm, putQuilt, quiltForm, quiltIdOf } from './quilt-client.ts';
import { encodeInMemory, memoryFile } from './quilt-in-memory.ts';
import { blobIdOf, patient, refusal, sharedStore, startStore, temporaryDirectory } from './running-store.ts';

describe('a stored quilt', () => {
  const store = sharedStore();

  test('is returned with its blob and the ids of its patches, by identifier', async () => {
    const answer = await putQuilt(store(), { 'b.txt': 'second', 'a.txt': 'first' });
    const quiltId = quiltIdOf(answer);
    expect(Object.keys(answer)).toEqual(['blobStoreResult', 'storedQuiltBlobs']);
    expect(answer.blobStoreResult.newlyCreated?.blobObject).toMatchObject({ size: 462, deletable: true });
    const patchId = (start: number, end: number) =>
      Buffer.concat([Buffer.from(quiltId, 'base64url'), Buffer.from([1, start, 0, end, 0])]).toString(
        'base64url',
      );
    expect(JSON.stringify(answer.storedQuiltBlobs)).toBe(
      JSON.stringify([
        { identifier: 'a.txt', quiltPatchId: patchId(2, 3), range: [2, 3] },
        { identifier: 'b.txt', quiltPatchId: patchId(3, 4), range: [3, 4] },
      ]),
    );
  });

  test("equals the codec's output", async () => {
    const url = store();
    const files = { one: randomBytes(5000), two: randomBytes(1), three: '' };
    const answer = await putQuilt(url, files, [
      { identifier: 'two', tags: { k: 'v', n: 3, list: [1, 'x'] } },
    ]);
    const { quilt } = await encodeInMemory(
      [
        memoryFile('one', files.one),
        memoryFile('two', files.two, { k: 'v', n: '3', list: '[1,"x"]' }),
        memoryFile('three', ''),
      ],
      31,
    );
    const blob = await fetch(`${url}/v1/blobs/${quiltIdOf(answer)}`);
    expect(quilt.equals(Buffer.from(await blob.arrayBuffer()))).toBe(true);
  });

  test('is reused if it is permanent', async () => {
    const url = store();
    const first = await putQuilt(url, { a: 'same' }, undefined, '?permanent=true&epochs=3');
    const second = await putQuilt(url, { a: 'same' }, undefined, '?permanent=true&epochs=2');
    expect(second.blobStoreResult.alreadyCertified?.blobId).toBe(quiltIdOf(first));
    expect(second.storedQuiltBlobs).toEqual(first.storedQuiltBlobs);
  });

  test('takes its tags from metadata before, between or after the files, in several parts', async () => {
    const url = store();
    const form = new FormData();
    form.append('_metadata', JSON.stringify([{ identifier: 'a', tags: { first: 'yes' } }]));
    form.append('a', 'content of a');
    form.append('_metadata', JSON.stringify([{ identifier: 'b', tags: { second: 'yes' }, more: 1 }]));
    form.append('b', 'content of b');
    form.append('_metadata', JSON.stringify([{ identifier: 'nobody', tags: {} }, { identifier: 'c' }]));
    form.append('c', 'content of c');
    const answer = (await (await putForm(url, form)).json()) as Awaited<ReturnType<typeof putQuilt>>;
    const list = await fetch(`${url}/v1/quilts/${quiltIdOf(answer)}/patches`);
    expect(await list.json()).toMatchObject([
      { identifier: 'a', tags: { first: 'yes' } },
      { identifier: 'b', tags: { second: 'yes' } },
      { identifier: 'c', tags: {} },
    ]);
  });

  test('accepts names in any language and with quotation marks', async () => {
    const url = store();
    const boundary = 'x';
    const names = ['日本 語', '\u{1F600}', '_a', '.b', 'say "hi"', 'a;b', 'c=d', '%22'];
    const parts = names.map(
      (name) =>
        `--x\r\nContent-Disposition: form-data; filename="f"; name="${name.replaceAll('"', '\\"')}"\r\n\r\n${name}\r\n`,
    );
    const response = await fetch(`${url}/v1/quilts`, {
      method: 'PUT',
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      body: `${parts.join('')}--x--\r\n`,
    });
    const answer = (await response.json()) as Awaited<ReturnType<typeof putQuilt>>;
    expect(answer.storedQuiltBlobs.map(({ identifier }) => identifier).toSorted()).toEqual(names.toSorted());
    for (const name of names) {
      const path = `${url}/v1/blobs/by-quilt-id/${quiltIdOf(answer)}/${encodeURIComponent(name)}`;
      expect(await (await fetch(path)).text()).toBe(name);
    }
  });
});

test('the object of a quilt has the quilt marker, the object of a blob does not', async () => {
  const { url, admin } = await startStore();
  const blobId = quiltIdOf(await putQuilt(url, { a: 'x' }));
  await blobIdOf(url, 'no quilt');
  const { items } = await admin.listObjects();
  expect(items.map(({ object, attributes }) => [object.blobId === blobId, attributes]).toSorted()).toEqual([
    [false, {}],
    [true, { _walrusBlobType: 'quilt' }],
  ]);
});

describe('a form that is not a quilt is rejected', () => {
  const store = sharedStore();

  test.each<[string, FormData]>([
    ['no files', quiltForm({}, [])],
    ['a name that is empty', quiltForm({ '': 'x' })],
    ['a name with a space at its end', quiltForm({ 'a ': 'x' })],
    ['too many files', quiltForm(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`n${n}`, ''])))],
    [
      'metadata with a duplicate identifier',
      quiltForm({ a: 'x' }, [{ identifier: 'a' }, { identifier: 'a' }]),
    ],
    ['metadata without an identifier', quiltForm({ a: 'x' }, [{ tags: {} } as never])],
    ['metadata that is not a list', quiltForm({ a: 'x' }, {} as never)],
    ['tags that are not an object', quiltForm({ a: 'x' }, [{ identifier: 'a', tags: ['b'] as never }])],
    ['tags that are null', quiltForm({ a: 'x' }, [{ identifier: 'a', tags: null as never }])],
    ['tags that are too long', quiltForm({ a: 'x' }, [{ identifier: 'a', tags: { k: 'v'.repeat(65_535) } }])],
    ['a number that JSON cannot hold', quiltForm({ a: 'x' }, [{ identifier: 'a', tags: { n: 2 ** 60 } }])],
  ])('%s', async (_name, form) => {
    expect(await refusal(await putForm(store(), form))).toEqual({ status: 400, reason: 'MALFORMED_REQUEST' });
  });

  test('rejects two files with one name', async () => {
    const form = quiltForm({ a: 'x' });
    form.append('a', 'y');
    expect(await refusal(await putForm(store(), form))).toEqual({ status: 400, reason: 'MALFORMED_REQUEST' });
  });

  test('rejects metadata that is not JSON', async () => {
    const form = quiltForm({ a: 'x' });
    form.append('_metadata', '[{');
    expect(await refusal(await putForm(store(), form))).toEqual({ status: 400, reason: 'MALFORMED_REQUEST' });
  });

  test.each([
    ['?epochs=0', 'INVALID_EPOCHS'],
    ['?permanent=true&deletable=true', 'INVALID_BLOB_PERSISTENCE'],
    ['?nonsense=1', 'MALFORMED_REQUEST'],
    ['?encoding_type=RedStuff', 'MALFORMED_REQUEST'],
  ])('rejects the query %s', async (query, reason) => {
    expect(await refusal(await putForm(store(), quiltForm({ a: 'x' }), query))).toEqual({
      status: 400,
      reason,
    });
  });

  test('treats another version as the first one, as upstream does', async () => {
    expect((await putForm(store(), quiltForm({ a: 'x' }), '?quilt_version=V9')).status).toBe(200);
  });
});

test('rejects one byte above the limit, announced or not, and leaves nothing behind', async () => {
  const dataDir = await temporaryDirectory();
  const { url } = await startStore({ dataDir, limits: { maxQuiltBodyBytes: 10_000 } });
  const announced = await putForm(url, quiltForm({ a: randomBytes(10_000) }));
  expect(await refusal(announced)).toEqual({ status: 413, reason: 'PAYLOAD_TOO_LARGE' });
  const form = new Response(quiltForm({ a: randomBytes(10_000) }));
  const unannounced = await fetch(`${url}/v1/quilts`, {
    method: 'PUT',
    headers: { 'content-type': form.headers.get('content-type') ?? '' },
    body: form.body,
    duplex: 'half',
  } as RequestInit);
  expect(await refusal(unannounced)).toEqual({ status: 413, reason: 'PAYLOAD_TOO_LARGE' });
  expect((await putForm(url, quiltForm({ a: randomBytes(9_000) }))).status).toBe(200);
  expect(await readdir(join(dataDir, 'incoming'))).toEqual([]);
});

test('rejects files that would make a quilt many times their size before building it', async () => {
  const { url } = await startStore({ limits: { maxQuiltBodyBytes: 200_000 } });
  const tiny = Object.fromEntries(Array.from({ length: 19 }, (_, n) => [`n${n}`, 'x']));
  const response = await putForm(url, quiltForm({ ...tiny, large: randomBytes(150_000) }));
  expect(await refusal(response)).toEqual({ status: 413, reason: 'PAYLOAD_TOO_LARGE' });
  expect((await putForm(url, quiltForm({ a: 'x', large: randomBytes(150_000) }))).status).toBe(200);
});

test('leaves nothing behind when a form is aborted, and frees its place', async () => {
  const dataDir = await temporaryDirectory();
  const { url } = await startStore({ dataDir, limits: { publisher: { concurrent: 1, buffered: 1 } } });
  const upload = request(`${url}/v1/quilts`, {
    method: 'PUT',
    headers: { 'content-length': 1000, 'content-type': 'multipart/form-data; boundary=x' },
  });
  upload.on('error', () => undefined);
  upload.write('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nonly a part');
  await expect.poll(() => readdir(join(dataDir, 'incoming')), patient).toHaveLength(1);
  upload.destroy();
  await expect.poll(() => readdir(join(dataDir, 'incoming')), patient).toEqual([]);
  await expect.poll(async () => (await putForm(url, quiltForm({ a: 'x' }))).status, patient).toBe(200);
});
