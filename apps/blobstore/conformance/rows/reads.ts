import { expectAnswer, same } from '../expectations.ts';
import { section } from '../row.ts';

const { rows, row } = section('§1.7 reads', ['publisher', 'aggregator']);

const cacheControl = 'public, max-age=86400, stale-while-revalidate=3600';

row('a blob comes with the headers of the aggregator and no content type', async (session) => {
  const { blobId, bytes } = await session.blob();
  const headers = {
    'x-content-type-options': 'nosniff',
    'cache-control': cacheControl,
    etag: blobId,
    'content-length': '1000',
    'content-type': null,
    'accept-ranges': null,
    'content-range': null,
  };
  for (const sent of [{}, { accept: '*/*' }, { accept: 'text/html, */*;q=0.8' }]) {
    const answer = await session.aggregator(`/v1/blobs/${blobId}`, { headers: sent });
    expectAnswer(answer, { status: 200, headers, body: bytes });
  }
});

row('HEAD has the headers of GET and no body', async (session) => {
  const { blobId } = await session.blob();
  expectAnswer(await session.aggregator(`/v1/blobs/${blobId}`, { method: 'HEAD' }), {
    status: 200,
    headers: { etag: blobId, 'content-length': '1000', 'cache-control': cacheControl },
    body: '',
  });
});

row('HEAD works wherever GET does', async (session) => {
  const { blobId, objectId } = await session.blob();
  for (const path of [
    '/v1/api',
    `/v1/blobs/by-object-id/${objectId}`,
    `/v1/blobs/${blobId}/byte-range?start=1&length=2`,
    `/v1alpha/blobs/${blobId}/stream`,
    `/v1alpha/blobs/concat?ids=${blobId}`,
  ]) {
    const get = await session.aggregator(path);
    const head = await session.aggregator(path, { method: 'HEAD' });
    const { etag = null, 'content-length': length } = get.headers;
    const headers = { etag, ...(length === undefined ? {} : { 'content-length': length }) };
    expectAnswer(head, { status: get.status, headers, body: '' });
  }
});

row('an Accept without any * is echoed as the content type', async (session) => {
  const { blobId } = await session.blob();
  for (const method of ['GET', 'HEAD']) {
    const headers = { accept: 'image/png, text/html', 'content-type': 'text/css' };
    const answer = await session.aggregator(`/v1/blobs/${blobId}`, { method, headers });
    expectAnswer(answer, { status: 200, headers: { 'content-type': 'image/png, text/html' } });
  }
});

row(
  "without such an Accept, the request's content type is echoed for GET but not for HEAD",
  async (session) => {
    const { blobId } = await session.blob();
    const headers = { accept: '*/*', 'content-type': 'text/css' };
    const get = await session.aggregator(`/v1/blobs/${blobId}`, { headers });
    expectAnswer(get, { status: 200, headers: { 'content-type': 'text/css' } });
    const head = await session.aggregator(`/v1/blobs/${blobId}`, { method: 'HEAD', headers });
    expectAnswer(head, { status: 200, headers: { 'content-type': null } });
  },
);

row('conditional headers are ignored', async (session) => {
  const { blobId, bytes } = await session.blob();
  const headers = { 'if-none-match': blobId };
  expectAnswer(await session.aggregator(`/v1/blobs/${blobId}`, { headers }), { status: 200, body: bytes });
});

row('an empty blob can be read', async (session) => {
  const { blobObject } = await session.create('');
  for (const path of [`/v1/blobs/${blobObject.blobId}`, `/v1alpha/blobs/${blobObject.blobId}/stream`]) {
    expectAnswer(await session.aggregator(path), {
      status: 200,
      headers: { 'content-length': '0' },
      body: '',
    });
  }
});

for (const query of [
  '?strict_consistency_check=true',
  '?skip_consistency_check=true',
  '?strict_consistency_check=false&skip_consistency_check=false',
]) {
  row(`§3 ${query} reads the blob`, async (session) => {
    const { blobId, objectId, bytes } = await session.blob();
    for (const path of [`/v1/blobs/${blobId}`, `/v1/blobs/by-object-id/${objectId}`]) {
      expectAnswer(await session.aggregator(`${path}${query}`), { status: 200, body: bytes });
    }
  });
}

row('a read by object ID is the same as by blob ID', async (session) => {
  const { blobId, objectId, bytes } = await session.blob();
  expectAnswer(await session.aggregator(`/v1/blobs/by-object-id/${objectId}`), {
    status: 200,
    headers: { etag: blobId, 'content-length': '1000', 'cache-control': cacheControl, 'content-type': null },
    body: bytes,
  });
});

row('a read by the ID of a shared object returns its blob', async (session) => {
  const { sharedBlobObject, blobObject } = await session.create('shared to be read', '?share=true');
  const answer = await session.aggregator(`/v1/blobs/by-object-id/${sharedBlobObject}`);
  expectAnswer(answer, { status: 200, headers: { etag: blobObject.blobId }, body: 'shared to be read' });
});

row('a stream is the whole blob and has x-walrus-streaming', async (session) => {
  const { blobId, bytes } = await session.blob();
  expectAnswer(await session.aggregator(`/v1alpha/blobs/${blobId}/stream`), {
    status: 200,
    headers: { 'x-walrus-streaming': 'true', etag: blobId, 'content-length': '1000' },
    body: bytes,
  });
});

row(
  '§5 reads by object ID return the allowed attributes as headers, reads by blob ID do not',
  async (session) => {
    const { blobObject } = await session.create('with attributes');
    const attributes = {
      'Content-Type': 'text/x-own',
      'content-disposition': 'inline',
      'content-language': 'de',
      etag: 'another',
      'x-own': 'no',
    };
    const set = await session.admin(`/objects/${blobObject.id}/attributes`, 'PATCH', attributes);
    expectAnswer(set, { status: 200 });
    const path = `/v1/blobs/by-object-id/${blobObject.id}`;
    const headers = {
      'content-type': 'text/x-own',
      'content-disposition': 'inline',
      'content-language': 'de',
      etag: blobObject.blobId,
      'x-own': null,
    };
    expectAnswer(await session.aggregator(path), { status: 200, headers });
    const part = await session.aggregator(path, { headers: { range: 'bytes=0-3' } });
    expectAnswer(part, { status: 206, headers, body: 'with' });
    const asked = await session.aggregator(path, { headers: { accept: 'text/html' } });
    expectAnswer(asked, { status: 200, headers: { 'content-type': 'text/html' } });
    const byBlobId = await session.aggregator(`/v1/blobs/${blobObject.blobId}`);
    expectAnswer(byBlobId, { status: 200, headers: { 'content-type': null, 'content-language': null } });
    const concat = await session.aggregator(`/v1alpha/blobs/concat?ids=${blobObject.id}`);
    same('content-language of concat', concat.headers['content-language'], 'de');
  },
  ['admin'],
);

export const readRows = rows;
