import { describe, expect, test } from 'vitest';
import { blobIdOf, put, putNew, refusal, sharedStore, startStore } from './running-store.ts';

const objectId = /^0x[0-9a-f]{64}$/;
const recipient = `0x${'ab'.repeat(32)}`;

test('returns a new certified object for a first store', async () => {
  const { url } = await startStore();
  const response = await fetch(`${url}/v1/blobs`, { method: 'PUT', body: 'hello' });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual({
    newlyCreated: {
      blobObject: {
        id: expect.stringMatching(objectId),
        registeredEpoch: 1,
        blobId: 'XGVrWfjQNZsulzZ9NGY6p47TbeO2iXOPsNYAhoNBldg',
        size: 5,
        encodingType: 'RS2',
        certifiedEpoch: 1,
        storage: {
          id: expect.stringMatching(objectId),
          startEpoch: 1,
          endEpoch: 2,
          storageSize: 64_480,
        },
        deletable: true,
      },
      resourceOperation: { registerFromScratch: { encodedLength: 64_480, epochsAhead: 1 } },
      cost: 120_000,
    },
  });
});

test('stores an empty body as a blob', async () => {
  const { url } = await startStore();
  const { blobObject } = await putNew(url, '');
  expect(blobObject.size).toBe(0);
  const read = await fetch(`${url}/v1/blobs/${blobObject.blobId}`);
  expect(read.headers.get('content-length')).toBe('0');
  expect(await read.text()).toBe('');
});

test('accepts any content type, and none', async () => {
  const { url } = await startStore();
  for (const type of ['application/json', 'text/plain', 'multipart/form-data', 'nonsense', undefined]) {
    const headers = type === undefined ? {} : { 'content-type': type };
    const body = new TextEncoder().encode('{not json');
    const response = await fetch(`${url}/v1/blobs`, { method: 'PUT', headers, body });
    expect(response.status).toBe(200);
  }
});

describe('parameters', () => {
  const store = sharedStore();

  test.each([
    ['?epochs=1', 1],
    ['?epochs=53', 53],
    ['', 1],
  ])('"%s" stores for %i epochs', async (query, epochs) => {
    const url = store();
    const { blobObject, resourceOperation, cost } = await putNew(url, 'x', query);
    expect(blobObject.storage).toMatchObject({ startEpoch: 1, endEpoch: 1 + epochs });
    expect(resourceOperation).toMatchObject({ registerFromScratch: { epochsAhead: epochs } });
    expect(cost).toBe(100_000 * epochs + 20_000);
  });

  test.each([
    '?deletable=true',
    '?deletable=false',
    '?permanent=false',
    '?permanent=false&deletable=false',
    '?force=true',
    '?reuse_resources=false',
    '?encoding_type=RS2',
    '?quilt_version=V1',
    '?quilt_version=whatever',
    '?share=false',
    `?send_object_to=${recipient}`,
    `?epochs=2&deletable=true&permanent=false&force=false&encoding_type=RS2&send_object_to=${recipient}`,
  ])('%s makes a deletable blob', async (query) => {
    const url = store();
    expect((await putNew(url, 'x', query)).blobObject.deletable).toBe(true);
  });

  test('permanent=true makes a permanent blob', async () => {
    const url = store();
    for (const query of ['?permanent=true', '?permanent=true&deletable=false']) {
      expect((await putNew(url, 'permanent', `${query}&force=true`)).blobObject.deletable).toBe(false);
    }
  });

  test.each([
    ['?epochs=0', 'INVALID_EPOCHS'],
    ['?epochs=54', 'INVALID_EPOCHS'],
    ['?epochs=-1', 'INVALID_EPOCHS'],
    ['?epochs=1.5', 'INVALID_EPOCHS'],
    ['?epochs=many', 'INVALID_EPOCHS'],
    ['?epochs=', 'INVALID_EPOCHS'],
    ['?epochs=99999999999999999999', 'INVALID_EPOCHS'],
    ['?permanent=true&deletable=true', 'INVALID_BLOB_PERSISTENCE'],
    ['?deletable=true&force=true&permanent=true', 'INVALID_BLOB_PERSISTENCE'],
    ['?permanent=1', 'MALFORMED_REQUEST'],
    ['?deletable=TRUE', 'MALFORMED_REQUEST'],
    ['?force', 'MALFORMED_REQUEST'],
    ['?encoding_type=rs2', 'MALFORMED_REQUEST'],
    ['?encoding_type=RedStuff', 'MALFORMED_REQUEST'],
    ['?send_object_to=0x12', 'MALFORMED_REQUEST'],
    ['?send_object_to=', 'MALFORMED_REQUEST'],
    ['?share=yes', 'MALFORMED_REQUEST'],
    [`?share=true&send_object_to=${recipient}`, 'MALFORMED_REQUEST'],
    ['?epochs=1&epochs=2', 'MALFORMED_REQUEST'],
    ['?epoch=1', 'MALFORMED_REQUEST'],
  ])('%s is rejected with 400 %s', async (query, reason) => {
    const url = store();
    const response = await fetch(`${url}/v1/blobs${query}`, { method: 'PUT', body: 'x' });
    expect(await refusal(response)).toEqual({ status: 400, reason });
  });
});

describe('bytes that are already stored', () => {
  test('always get a new object in a default store', async () => {
    const { url } = await startStore();
    const first = await putNew(url, 'same');
    const second = await putNew(url, 'same');
    expect(second.blobObject.blobId).toBe(first.blobObject.blobId);
    expect(second.blobObject.id).not.toBe(first.blobObject.id);
  });

  test('need no new permanent object if a permanent one lives long enough', async () => {
    const { url } = await startStore();
    const { blobObject } = await putNew(url, 'same', '?permanent=true&epochs=5');
    const { alreadyCertified } = await put(url, 'same', '?permanent=true&epochs=5');
    expect(alreadyCertified).toEqual({
      blobId: blobObject.blobId,
      event: { txDigest: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/), eventSeq: '0' },
      endEpoch: 6,
    });
  });

  test('count regardless of the owner of the object, and also with reuse_resources', async () => {
    const { url } = await startStore();
    await put(url, 'same', `?permanent=true&send_object_to=${recipient}`);
    expect(await put(url, 'same', '?permanent=true')).toHaveProperty('alreadyCertified.event');
    const reuse = await put(url, 'same', '?permanent=true&reuse_resources=true');
    expect(reuse).toHaveProperty('alreadyCertified.event');
  });

  test.each([
    ['a permanent object that expires earlier', '?permanent=true&epochs=2', '?permanent=true&epochs=3'],
    ['a deletable object', '?epochs=5', '?permanent=true&epochs=1'],
    ['force', '?permanent=true&epochs=5', '?permanent=true&force=true'],
    ['force with reuse', '?epochs=5', '?force=true&reuse_resources=true'],
    [
      'force with reuse of a permanent object',
      '?permanent=true&epochs=5',
      '?permanent=true&force=true&reuse_resources=true',
    ],
    ['a permanent object for a deletable store', '?permanent=true&epochs=5', ''],
    ['the other persistence', '?permanent=true&epochs=5', '?reuse_resources=true'],
    ['a transferred object', `?epochs=5&send_object_to=${recipient}`, '?reuse_resources=true'],
  ])('get a new registration despite %s', async (_name, before, after) => {
    const { url } = await startStore();
    await put(url, 'same', before);
    expect((await putNew(url, 'same', after)).resourceOperation).toHaveProperty('registerFromScratch');
  });

  test('need no new object with reuse_resources if an own object lives long enough', async () => {
    const { url } = await startStore();
    const { blobObject } = await putNew(url, 'same', '?epochs=5');
    expect(await put(url, 'same', '?epochs=3&reuse_resources=true')).toEqual({
      alreadyCertified: { blobId: blobObject.blobId, object: blobObject.id, endEpoch: 6 },
    });
  });

  test('are extended with reuse_resources by the missing epochs', async () => {
    const { url } = await startStore();
    const { blobObject } = await putNew(url, 'same', '?epochs=2');
    const extended = await putNew(url, 'same', '?epochs=5&reuse_resources=true');
    expect(extended.blobObject).toMatchObject({ id: blobObject.id, storage: { endEpoch: 6 } });
    expect(extended.resourceOperation).toEqual({
      reuseAndExtend: { encodedLength: 64_480, epochsExtended: 3 },
    });
    expect(extended.cost).toBe(300_000);
  });

  test('make one object in twenty concurrent permanent stores', async () => {
    const { url } = await startStore({ limits: { publisher: { concurrent: 20, buffered: 20 } } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => put(url, 'same', '?permanent=true')));
    expect(answers.filter(({ newlyCreated }) => newlyCreated !== undefined)).toHaveLength(1);
  });

  test('make twenty objects of one readable blob in twenty concurrent default stores', async () => {
    const { url } = await startStore({ limits: { publisher: { concurrent: 20, buffered: 20 } } });
    const created = await Promise.all(Array.from({ length: 20 }, () => putNew(url, 'same')));
    expect(new Set(created.map(({ blobObject }) => blobObject.id)).size).toBe(20);
    const blobId = await blobIdOf(url, 'same');
    expect(await (await fetch(`${url}/v1/blobs/${blobId}`)).text()).toBe('same');
  });
});
