import { expectAnswer, same } from '../expectations.ts';
import { refused } from '../refused.ts';
import { section } from '../row.ts';

const { rows, row, ours, walrus } = section('§1.7 reads', ['publisher', 'aggregator']);

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

row('an Accept without any * is echoed as the content type', async (session) => {
  const { blobId } = await session.blob();
  for (const method of ['GET', 'HEAD']) {
    const headers = { accept: 'image/png, text/html', 'content-type': 'text/css' };
    const answer = await session.aggregator(`/v1/blobs/${blobId}`, { method, headers });
    expectAnswer(answer, { status: 200, headers: { 'content-type': 'image/png, text/html' } });
  }
});

row("else a GET's own content type is echoed, and a HEAD's is not", async (session) => {
  const { blobId } = await session.blob();
  const headers = { accept: '*/*', 'content-type': 'text/css' };
  const get = await session.aggregator(`/v1/blobs/${blobId}`, { headers });
  expectAnswer(get, { status: 200, headers: { 'content-type': 'text/css' } });
  const head = await session.aggregator(`/v1/blobs/${blobId}`, { method: 'HEAD', headers });
  expectAnswer(head, { status: 200, headers: { 'content-type': null } });
});

row('there is no conditional read', async (session) => {
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

for (const [range, start, end] of [
  ['bytes=0-9', 0, 9],
  ['bytes=0-0', 0, 0],
  ['bytes=999-999', 999, 999],
  ['bytes=0-999', 0, 999],
  [' bytes=5-6 ', 5, 6],
] as const) {
  row(`Range: ${range} is 206`, async (session) => {
    const { blobId, objectId, bytes } = await session.blob();
    for (const path of [`/v1/blobs/${blobId}`, `/v1/blobs/by-object-id/${objectId}`]) {
      expectAnswer(await session.aggregator(path, { headers: { range } }), {
        status: 206,
        headers: {
          'content-range': `bytes ${start}-${end}/1000`,
          'content-length': String(end - start + 1),
          etag: blobId,
          'cache-control': cacheControl,
        },
        body: bytes.subarray(start, end + 1),
      });
    }
  });
}

for (const range of [
  'bytes=0-1000',
  'bytes=1000-1000',
  'bytes=10-9',
  'bytes=0-1,3-4',
  'bytes=-',
  'bytes=a-b',
  'items=0-1',
  'bytes 0-1',
]) {
  row(`Range: ${range} is 416`, async (session) => {
    const { blobId, objectId } = await session.blob();
    for (const path of [`/v1/blobs/${blobId}`, `/v1/blobs/by-object-id/${objectId}`]) {
      refused(await session.aggregator(path, { headers: { range } }), 416, 'INVALID_BYTE_RANGE');
    }
  });
}

for (const [range, start] of [
  ['bytes=0-', 0],
  ['bytes=990-', 990],
  ['bytes=-5', 995],
  ['bytes=-1000', 0],
] as const) {
  ours(`Range: ${range} is 206`, async (session) => {
    const { blobId, bytes } = await session.blob();
    expectAnswer(await session.aggregator(`/v1/blobs/${blobId}`, { headers: { range } }), {
      status: 206,
      headers: { 'content-range': `bytes ${start}-999/1000` },
      body: bytes.subarray(start),
    });
  });
  walrus(`Range: ${range} is 416`, async (session) => {
    const { blobId } = await session.blob();
    const answer = await session.aggregator(`/v1/blobs/${blobId}`, { headers: { range } });
    refused(answer, 416, 'INVALID_BYTE_RANGE');
  });
}

row('by object ID is as by blob ID', async (session) => {
  const { blobId, objectId, bytes } = await session.blob();
  expectAnswer(await session.aggregator(`/v1/blobs/by-object-id/${objectId}`), {
    status: 200,
    headers: { etag: blobId, 'content-length': '1000', 'cache-control': cacheControl, 'content-type': null },
    body: bytes,
  });
});

row('a shared object stands for its blob', async (session) => {
  const { sharedBlobObject, blobObject } = await session.create('shared to be read', '?share=true');
  const answer = await session.aggregator(`/v1/blobs/by-object-id/${sharedBlobObject}`);
  expectAnswer(answer, { status: 200, headers: { etag: blobObject.blobId }, body: 'shared to be read' });
});

row('a byte range is 200 with a tag of its own', async (session) => {
  const { blobId, bytes } = await session.blob();
  for (const [start, length] of [
    [0, 1],
    [10, 990],
    [0, 1000],
    [999, 1],
  ] as const) {
    const path = `/v1/blobs/${blobId}/byte-range?start=${start}&length=${length}`;
    expectAnswer(await session.aggregator(path), {
      status: 200,
      headers: {
        etag: `${blobId}-${start}-${length}`,
        'content-range': null,
        'content-length': String(length),
        'x-content-type-options': 'nosniff',
        'cache-control': cacheControl,
      },
      body: bytes.subarray(start, start + length),
    });
  }
});

for (const query of [
  'start=0&length=0',
  'start=0&length=1001',
  'start=1000&length=1',
  'start=1&length=18446744073709551615',
]) {
  row(`a byte range of ${query} is 400 INVALID_BYTE_RANGE`, async (session) => {
    const { blobId } = await session.blob();
    refused(await session.aggregator(`/v1/blobs/${blobId}/byte-range?${query}`), 400, 'INVALID_BYTE_RANGE');
  });
}

for (const query of [
  '',
  '?start=0',
  '?length=1',
  '?start=-1&length=1',
  '?start=a&length=1',
  '?start=0&length=1.5',
]) {
  row(`a byte range of "${query}" is 400`, async (session) => {
    const { blobId } = await session.blob();
    const answer = await session.aggregator(`/v1/blobs/${blobId}/byte-range${query}`);
    expectAnswer(answer, { status: 400 });
    if (session.ours) refused(answer, 400, 'MALFORMED_REQUEST');
  });
}

row('a stream is the whole blob and says so', async (session) => {
  const { blobId, bytes } = await session.blob();
  expectAnswer(await session.aggregator(`/v1alpha/blobs/${blobId}/stream`), {
    status: 200,
    headers: { 'x-walrus-streaming': 'true', etag: blobId, 'content-length': '1000' },
    body: bytes,
  });
});

row(
  '§5 attributes are headers by object ID, as far as they are allowed, and not by blob ID',
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

row(
  '§4.1 a deleted blob is 404, a permanent one stays',
  async (session) => {
    const { blobObject } = await session.create('to be deleted');
    expectAnswer(await session.admin(`/objects/${blobObject.id}`, 'DELETE'), { status: 200 });
    refused(await session.aggregator(`/v1/blobs/${blobObject.blobId}`), 404, 'BLOB_NOT_FOUND');
    const permanent = (await session.create('to be kept', '?permanent=true')).blobObject;
    refused(await session.admin(`/objects/${permanent.id}`, 'DELETE'), 409, 'BLOB_NOT_DELETABLE');
    expectAnswer(await session.aggregator(`/v1/blobs/${permanent.blobId}`), { status: 200 });
  },
  ['admin'],
);

const troubles = [
  ['BLOB_UNAVAILABLE', 503, 'BLOB_UNAVAILABLE'],
  ['TOO_MANY_REQUESTS', 429, 'TOO_MANY_REQUESTS'],
  ['INTERNAL_ERROR', 500, 'INTERNAL_ERROR'],
] as const;

for (const [fault, status, reason] of troubles) {
  row(
    `${status} ${reason} looks the same on every read`,
    async (session) => {
      const { blobObject } = await session.create('troubled');
      const { id, blobId } = blobObject;
      const added = await session.admin('/faults', 'POST', { operation: 'read', fault, blobId });
      expectAnswer(added, { status: 200 });
      const patch = Buffer.concat([Buffer.from(blobId, 'base64url'), Buffer.of(1, 1, 0, 2, 0)]);
      for (const path of [
        `/v1/blobs/${blobId}`,
        `/v1/blobs/by-object-id/${id}`,
        `/v1/blobs/${blobId}/byte-range?start=0&length=1`,
        `/v1alpha/blobs/${blobId}/stream`,
        `/v1alpha/blobs/concat?ids=${blobId}`,
        `/v1/blobs/by-quilt-patch-id/${patch.toString('base64url')}`,
        `/v1/blobs/by-quilt-id/${blobId}/name`,
        `/v1/quilts/${blobId}/patches`,
        `/quilts/${blobId}/patches`,
      ]) {
        refused(await session.aggregator(path), status, reason);
      }
      const body = JSON.stringify({ ids: [blobId] });
      const concat = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      refused(await session.aggregator('/v1alpha/blobs/concat', concat), status, reason);
      expectAnswer(await session.admin('/faults', 'DELETE'), { status: 200 });
      expectAnswer(await session.aggregator(`/v1/blobs/${blobId}`), { status: 200 });
    },
    ['admin'],
  );
}

row(
  'a blob is gone when its end epoch begins',
  async (session) => {
    const { blobObject } = await session.create('ends soon');
    const longer = (await session.create('ends later', '?epochs=2')).blobObject;
    expectAnswer(await session.admin('/epoch/advance', 'POST', {}), { status: 200 });
    refused(await session.aggregator(`/v1/blobs/${blobObject.blobId}`), 404, 'BLOB_NOT_FOUND');
    expectAnswer(await session.aggregator(`/v1/blobs/${longer.blobId}`), { status: 200 });
  },
  ['admin'],
);

/** The last row moves the epoch on, so these come after all others that share a blob. */
export const readRows = rows;
