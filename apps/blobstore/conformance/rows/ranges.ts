import { expectAnswer } from '../expectations.ts';
import { refused } from '../refused.ts';
import { section } from '../row.ts';

const { rows, row, ours, walrus } = section('§1.7 ranges', ['publisher', 'aggregator']);

const cacheControl = 'public, max-age=86400, stale-while-revalidate=3600';

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

row('a byte range is 200 with a separate tag', async (session) => {
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

export const rangeRows = rows;
