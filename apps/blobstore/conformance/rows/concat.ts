import { createHash } from 'node:crypto';
import { expectAnswer } from '../expectations.ts';
import { refused, refusedByFramework } from '../refused.ts';
import { section } from '../row.ts';
import type { Request, Session } from '../session.ts';

const { rows, row, ours, walrus } = section('§1.7 concat', ['publisher', 'aggregator']);

const url = '/v1alpha/blobs/concat';
const unknownId = 'A'.repeat(43);
const json = 'application/json';

function post(body: unknown, type: string | null = json): Request {
  return {
    method: 'POST',
    headers: type === null ? {} : { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

function tagOf(ids: string[]): string {
  return createHash('sha256').update(ids.join(',')).digest('base64url');
}

async function ids(session: Session): Promise<{ ids: string[]; body: Buffer }> {
  const { blobId, objectId, bytes } = await session.blob();
  return { ids: [objectId, blobId, blobId], body: Buffer.concat([bytes, bytes, bytes]) };
}

row('returns blobs by blob and object ID in order, including duplicates', async (session) => {
  const wanted = await ids(session);
  const headers = {
    etag: tagOf(wanted.ids),
    'cache-control': 'public, max-age=86400, stale-while-revalidate=3600',
    'x-content-type-options': 'nosniff',
  };
  const expected = { status: 200, headers, body: wanted.body };
  expectAnswer(await session.aggregator(`${url}?ids=${wanted.ids.join(',')}`), expected);
  expectAnswer(await session.aggregator(url, post({ ids: wanted.ids })), expected);
});

row('ignores spaces and empty entries in the list', async (session) => {
  const { blobId, bytes } = await session.blob();
  const answer = await session.aggregator(`${url}?ids=,%20${blobId}%20,,`);
  expectAnswer(answer, { status: 200, headers: { etag: tagOf([blobId]) }, body: bytes });
});

row('flags in JSON may be null', async (session) => {
  const { blobId, bytes } = await session.blob();
  const body = { ids: [blobId], strict_consistency_check: null, skip_consistency_check: true };
  expectAnswer(await session.aggregator(url, post(body)), { status: 200, body: bytes });
});

row('an empty list is 400', async (session) => {
  for (const answer of [
    await session.aggregator(`${url}?ids=`),
    await session.aggregator(`${url}?ids=,,`),
    await session.aggregator(url, post({ ids: [] })),
  ]) {
    refusedByFramework(session, answer, 400, 'MALFORMED_REQUEST');
  }
});

row('a missing list is 400', async (session) => {
  refusedByFramework(session, await session.aggregator(url), 400, 'MALFORMED_REQUEST');
});

row('an entry that is neither a blob nor an object ID is 400 INVALID_ID_FORMAT', async (session) => {
  const { blobId } = await session.blob();
  refused(await session.aggregator(`${url}?ids=${blobId},nonsense`), 400, 'INVALID_ID_FORMAT');
});

row('an unknown object is 404 OBJECT_ID_RESOLUTION_FAILED', async (session) => {
  const { blobId } = await session.blob();
  const answer = await session.aggregator(`${url}?ids=${blobId},0x${'0'.repeat(63)}9`);
  refused(answer, 404, 'OBJECT_ID_RESOLUTION_FAILED');
});

row('both flags in JSON are 400 INVALID_CONSISTENCY_CHECK', async (session) => {
  const { blobId } = await session.blob();
  const body = { ids: [blobId], strict_consistency_check: true, skip_consistency_check: true };
  refused(await session.aggregator(url, post(body)), 400, 'INVALID_CONSISTENCY_CHECK');
});

ours('an unknown blob is 404 before the first byte', async (session) => {
  const { blobId } = await session.blob();
  refused(await session.aggregator(`${url}?ids=${blobId},${unknownId}`), 404, 'BLOB_NOT_FOUND');
  refused(await session.aggregator(url, post({ ids: [unknownId] })), 404, 'BLOB_NOT_FOUND');
});

ours('flags in the query work', async (session) => {
  const { blobId, bytes } = await session.blob();
  const answer = await session.aggregator(`${url}?ids=${blobId}&strict_consistency_check=true`);
  expectAnswer(answer, { status: 200, body: bytes });
});

walrus('flags in the query are 400', async (session) => {
  const { blobId } = await session.blob();
  const answer = await session.aggregator(`${url}?ids=${blobId}&strict_consistency_check=true`);
  expectAnswer(answer, { status: 400 });
});

row('JSON with another content type is 415', async (session) => {
  for (const type of ['text/plain', null]) {
    const answer = await session.aggregator(url, post({ ids: [unknownId] }, type));
    refusedByFramework(session, answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
  }
});

row('invalid JSON is 400', async (session) => {
  refusedByFramework(session, await session.aggregator(url, post('{"ids"')), 400, 'MALFORMED_REQUEST');
});

row('JSON of the wrong shape is 422', async (session) => {
  for (const body of [{ ids: 'one' }, { ids: [5] }, {}, [], { ids: [unknownId], more: 1 }]) {
    refusedByFramework(session, await session.aggregator(url, post(body)), 422, 'MALFORMED_REQUEST');
  }
});

row('a JSON body above 2 MiB is 413', async (session) => {
  const body = { ids: [`${' '.repeat(2 * 1024 * 1024)}${unknownId}`] };
  refusedByFramework(session, await session.aggregator(url, post(body)), 413, 'PAYLOAD_TOO_LARGE');
});

export const concatRows = rows;
