import { expectAnswer, holds, jsonOf, same } from '../expectations.ts';
import { refused, refusedByFramework } from '../refused.ts';
import { section } from '../row.ts';

const { rows, row, walrus, ours } = section('§1.7–1.8 errors of reads', ['aggregator']);

const unknownId = 'A'.repeat(43);
/** Columns 1 to 2 of the unknown quilt */
const unknownPatch = Buffer.concat([Buffer.alloc(32), Buffer.of(1, 1, 0, 2, 0)]).toString('base64url');
const unknownObject = `0x${'0'.repeat(63)}9`;

row('an unknown blob is 404, byte for byte', async ({ aggregator }) => {
  expectAnswer(await aggregator(`/v1/blobs/${unknownId}`), {
    status: 404,
    headers: { 'content-type': 'application/json', etag: null },
    body:
      '{"error":{"status":"NOT_FOUND","code":404,"message":"the requested blob ID does not exist on Walrus, ' +
      'ensure that it was entered correctly","details":[{"@type":"ErrorInfo","reason":"BLOB_NOT_FOUND",' +
      '"domain":"daemon.walrus.space","metadata":{}}]}}',
  });
});

for (const [what, path] of [
  ['object', `/v1/blobs/by-object-id/${unknownObject}`],
  ['blob by range', `/v1/blobs/${unknownId}/byte-range?start=0&length=1`],
  ['blob as a stream', `/v1alpha/blobs/${unknownId}/stream`],
  ['quilt by patch', `/v1/blobs/by-quilt-patch-id/${unknownPatch}`],
  ['quilt by identifier', `/v1/blobs/by-quilt-id/${unknownId}/name`],
  ['quilt to list', `/v1/quilts/${unknownId}/patches`],
] as const) {
  row(`an unknown ${what} is 404 BLOB_NOT_FOUND`, async ({ aggregator }) => {
    refused(await aggregator(path), 404, 'BLOB_NOT_FOUND');
  });
}

ours('the patch list without /v1 returns the same errors as the one with it', async ({ aggregator }) => {
  refused(await aggregator(`/quilts/${unknownId}/patches`), 404, 'BLOB_NOT_FOUND');
  refused(await aggregator('/quilts/short/patches'), 400, 'INVALID_ID_FORMAT');
});

row('HEAD of an unknown blob is 404 without a body', async ({ aggregator }) => {
  expectAnswer(await aggregator(`/v1/blobs/${unknownId}`, { method: 'HEAD' }), { status: 404, body: '' });
});

for (const [why, id] of [
  ['42 characters', 'A'.repeat(42)],
  ['44 characters', 'A'.repeat(44)],
  ['padding', `${'A'.repeat(43)}=`],
  ['standard base64', `${'A'.repeat(42)}+`],
  ['bits left over', `${'A'.repeat(42)}B`],
  ['hex', 'ab'.repeat(32)],
] as const) {
  row(`a blob ID with ${why} is 400`, async (session) => {
    for (const path of [`/v1/blobs/${id}`, `/v1alpha/blobs/${id}/stream`, `/v1/quilts/${id}/patches`]) {
      refusedByFramework(session, await session.aggregator(path), 400, 'INVALID_ID_FORMAT');
    }
  });
}

for (const id of ['0x', '0xzz', `0x${'0'.repeat(65)}`, 'name']) {
  row(`${id.slice(0, 20)} is not an object ID`, async (session) => {
    const answer = await session.aggregator(`/v1/blobs/by-object-id/${id}`);
    refusedByFramework(session, answer, 400, 'INVALID_ID_FORMAT');
  });
}

row('a patch ID shorter than a blob ID is 400', async (session) => {
  const answer = await session.aggregator(`/v1/blobs/by-quilt-patch-id/${unknownId.slice(1)}`);
  refusedByFramework(session, answer, 400, 'INVALID_ID_FORMAT');
});

ours('a patch ID of another length or version is 400', async ({ aggregator }) => {
  for (const id of [unknownId, `${unknownId}QEBAAIAA`, `${unknownId}gEBAAI`]) {
    refused(await aggregator(`/v1/blobs/by-quilt-patch-id/${id}`), 400, 'INVALID_ID_FORMAT');
  }
});

row('a path that is not UTF-8 is 400', async (session) => {
  const answer = await session.aggregator('/v1/blobs/%ff');
  expectAnswer(answer, { status: 400 });
});

for (const query of ['?cb=1', '?strict_consistency_check=1', '?skip_consistency_check', '?start=0']) {
  row(`a read with ${query} is 400`, async (session) => {
    const answer = await session.aggregator(`/v1/blobs/${unknownId}${query}`);
    refusedByFramework(session, answer, 400, 'MALFORMED_REQUEST');
  });
}

row('both consistency checks at once are 400', async ({ aggregator }) => {
  const query = '?strict_consistency_check=true&skip_consistency_check=true';
  for (const path of [`/v1/blobs/${unknownId}`, `/v1/blobs/by-object-id/${unknownObject}`]) {
    refused(await aggregator(`${path}${query}`), 400, 'INVALID_CONSISTENCY_CHECK');
  }
});

const notQuilts = (blobId: string): string[] => [
  `/v1/blobs/by-quilt-id/${blobId}/name`,
  `/v1/quilts/${blobId}/patches`,
];

walrus(
  'a blob that is not a quilt is 500 when read as one',
  async (session) => {
    const { blobId } = await session.blob();
    for (const path of notQuilts(blobId)) {
      const answer = await session.aggregator(path);
      refused(answer, 500, 'INTERNAL_ERROR');
      const { error } = jsonOf<{ error: { details: { detail?: string }[] } }>(answer);
      holds('the 500 has a trace ID', /^TraceID: /.test(error.details[1]?.detail ?? ''));
    }
  },
  ['publisher'],
);

ours(
  'a blob that is not a quilt is 400 NOT_A_QUILT when read as one',
  async (session) => {
    const { blobId } = await session.blob();
    for (const path of notQuilts(blobId)) refused(await session.aggregator(path), 400, 'NOT_A_QUILT');
  },
  ['publisher'],
);

ours('every response has a request ID', async ({ aggregator }) => {
  const kept = await aggregator('/status', { headers: { 'x-request-id': 'row-1' } });
  same('x-request-id', kept.headers['x-request-id'], 'row-1');
});

export const errorRows = rows;
