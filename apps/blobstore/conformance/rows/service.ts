import { expectAnswer, holds } from '../expectations.ts';
import { refusedByFramework } from '../refused.ts';
import { section } from '../row.ts';

const { rows, row, ours } = section('§1.1–1.3 service', ['aggregator']);

const unknownId = `/v1/blobs/${'A'.repeat(43)}`;

row('/status is 200 with the text OK', async ({ aggregator }) => {
  expectAnswer(await aggregator('/status'), {
    status: 200,
    headers: { 'content-type': /^text\/plain/ },
    body: 'OK',
  });
  expectAnswer(await aggregator('/status', { method: 'HEAD' }), { status: 200, body: '' });
});

row('/v1/api is a page', async ({ aggregator }) => {
  const answer = await aggregator('/v1/api');
  expectAnswer(answer, { status: 200, headers: { 'content-type': /^text\/html/ } });
  holds('the page is empty', answer.body.length > 0);
});

ours('/v1/api/openapi.json is the OpenAPI document', async ({ aggregator }) => {
  expectAnswer(await aggregator('/v1/api/openapi.json'), {
    status: 200,
    headers: { 'content-type': 'application/json' },
  });
});

ours('the store serves the script of the page', async ({ aggregator }) => {
  expectAnswer(await aggregator('/v1/api/reference.js'), {
    status: 200,
    headers: { 'content-type': /^text\/javascript/ },
  });
});

for (const path of ['/', '/nope', '/v1', '/v1/store', '/v1/object/0x1', '/status/', '/v1/blobs/a/b/c']) {
  row(`${path} is unknown`, async (session) => {
    refusedByFramework(session, await session.aggregator(path), 404, 'ROUTE_NOT_FOUND');
  });
}

for (const [method, path, allowed] of [
  ['POST', '/status', ['GET', 'HEAD']],
  ['PUT', unknownId, ['GET', 'HEAD']],
  ['DELETE', unknownId, ['GET', 'HEAD']],
  ['PUT', '/v1alpha/blobs/concat', ['GET', 'HEAD', 'POST']],
] as const) {
  row(`${method} ${path.replace(/A{43}/, '{blob_id}')} is 405 with Allow`, async (session) => {
    const answer = await session.aggregator(path, { method });
    refusedByFramework(session, answer, 405, 'METHOD_NOT_ALLOWED');
    const allow = (answer.headers.allow ?? '').split(/\s*,\s*/);
    holds(`Allow is ${allow.join()}`, allow.toSorted().join() === allowed.toSorted().join());
  });
}

row(
  'GET /v1/blobs is 405 with Allow: PUT',
  async (session) => {
    const answer = await session.publisher('/v1/blobs');
    refusedByFramework(session, answer, 405, 'METHOD_NOT_ALLOWED');
    expectAnswer(answer, { status: 405, headers: { allow: 'PUT' } });
  },
  ['publisher'],
);

row('a page of any origin may read responses and errors', async ({ aggregator }) => {
  for (const path of ['/status', unknownId, '/nope']) {
    const answer = await aggregator(path, { headers: { origin: 'https://example.org' } });
    expectAnswer(answer, { status: answer.status, headers: { 'access-control-allow-origin': '*' } });
  }
});

row('a preflight allows everything for a day', async ({ aggregator }) => {
  const headers = {
    origin: 'https://example.org',
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'content-type',
  };
  expectAnswer(await aggregator('/v1/blobs', { method: 'OPTIONS', headers }), {
    status: 200,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': '*',
      'access-control-allow-headers': '*',
      'access-control-max-age': '86400',
    },
  });
});

ours('pages may read ETag, Content-Range and X-Quilt-Patch-Identifier', async ({ aggregator }) => {
  const exposed = 'ETag, Content-Range, X-Quilt-Patch-Identifier';
  expectAnswer(await aggregator(unknownId), {
    status: 404,
    headers: { 'access-control-expose-headers': exposed },
  });
});

export const serviceRows = rows;
