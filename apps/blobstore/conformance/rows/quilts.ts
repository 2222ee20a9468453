import type { Answer } from '../exchange.ts';
import { expectAnswer, holds, jsonOf, same } from '../expectations.ts';
import { formOf, type Part } from '../form.ts';
import { refused } from '../refused.ts';
import { section } from '../row.ts';
import type { QuiltResponse, Session } from '../session.ts';

const { rows, row, ours } = section('§1.6–1.7 quilts', ['publisher', 'aggregator']);

function putQuilt(session: Session, parts: readonly Part[], query = ''): Promise<Answer> {
  const { contentType, body } = formOf(parts);
  const headers = { 'content-type': contentType };
  return session.publisher(`/v1/quilts${query}`, { method: 'PUT', headers, body });
}

interface StoredQuilt {
  quiltId: string;
  patches: QuiltResponse['storedQuiltBlobs'];
}

async function createQuilt(session: Session, parts: readonly Part[], query = ''): Promise<StoredQuilt> {
  const answer = await putQuilt(session, parts, query);
  expectAnswer(answer, { status: 200, headers: { 'content-type': 'application/json' } });
  const response = jsonOf<QuiltResponse>(answer);
  same('keys', Object.keys(response), ['blobStoreResult', 'storedQuiltBlobs']);
  const quiltId = response.blobStoreResult.newlyCreated!.blobObject.blobId;
  return { quiltId, patches: response.storedQuiltBlobs };
}

const metadata = (list: object[]): Part => ({ name: '_metadata', content: JSON.stringify(list) });
const file = (name: string, content = name): Part => ({ name, content });

const tagged = [
  file('b.txt', 'second'),
  metadata([
    { identifier: 'b.txt', tags: { 'content-type': 'text/x-b', own: 'yes', etag: 'another', number: 3 } },
    { identifier: 'not there', tags: { a: 'b' } },
  ]),
  file('a.txt', 'first'),
];

row('storing a quilt returns its patches in the order of their identifiers', async (session) => {
  const { patches, quiltId } = await createQuilt(session, tagged, '?epochs=2');
  same(
    'identifiers',
    patches.map(({ identifier }) => identifier),
    ['a.txt', 'b.txt'],
  );
  const [[firstStart = 0, firstEnd = 0] = [], [start = 0, end = 0] = []] = patches.map(({ range }) => range);
  const follow = 0 < firstStart && firstStart < firstEnd && firstEnd === start && start < end;
  holds(`ranges ${firstStart}–${firstEnd} and ${start}–${end} follow each other`, follow);
  for (const { quiltPatchId, range } of patches) {
    const bytes = Buffer.alloc(37);
    Buffer.from(quiltId, 'base64url').copy(bytes);
    bytes.writeUInt8(1, 32);
    bytes.writeUInt16LE(range[0], 33);
    bytes.writeUInt16LE(range[1], 35);
    same('quiltPatchId', quiltPatchId, bytes.toString('base64url'));
  }
});

row(
  'the ID of a quilt is computed for 1000 shards',
  async (session) => {
    const parts = [file('patch-1.txt', 'Hello from patch 1'), file('patch-2.txt', 'Hello from patch 2')];
    same('quilt', (await createQuilt(session, parts)).quiltId, 'BfdX2ehcmlCnc4COknwCIVmi5Z-VeOhQ87PHWeYYW8k');
  },
  ['1000 shards'],
);

row('a patch is read by its ID and by quilt and identifier', async (session) => {
  const { patches, quiltId } = await createQuilt(session, tagged);
  const [, { quiltPatchId } = { quiltPatchId: '' }] = patches;
  for (const path of [`by-quilt-patch-id/${quiltPatchId}`, `by-quilt-id/${quiltId}/b.txt`]) {
    for (const method of ['GET', 'HEAD']) {
      expectAnswer(await session.aggregator(`/v1/blobs/${path}`, { method }), {
        status: 200,
        headers: {
          etag: quiltId,
          'x-quilt-patch-identifier': 'b.txt',
          'content-type': 'text/x-b',
          'content-length': '6',
          'x-content-type-options': 'nosniff',
          'cache-control': 'public, max-age=86400, stale-while-revalidate=3600',
          own: null,
        },
        body: method === 'GET' ? 'second' : '',
      });
    }
  }
});

row('reads of patches ignore ranges and flags', async (session) => {
  const { quiltId } = await createQuilt(session, tagged);
  const headers = { range: 'bytes=0-1' };
  const answer = await session.aggregator(`/v1/blobs/by-quilt-id/${quiltId}/a.txt`, { headers });
  expectAnswer(answer, { status: 200, headers: { 'content-range': null }, body: 'first' });
  const flagged = await session.aggregator(`/v1/blobs/by-quilt-id/${quiltId}/a.txt?cb=1`);
  expectAnswer(flagged, { status: 200, body: 'first' });
});

row("a client's Accept wins over the tag", async (session) => {
  const { quiltId } = await createQuilt(session, tagged);
  const headers = { accept: 'text/html' };
  const answer = await session.aggregator(`/v1/blobs/by-quilt-id/${quiltId}/b.txt`, { headers });
  expectAnswer(answer, { status: 200, headers: { 'content-type': 'text/html' } });
});

row('the list of patches has its keys, in the order of identifiers', async (session) => {
  const { patches, quiltId } = await createQuilt(session, tagged);
  const answer = await session.aggregator(`/v1/quilts/${quiltId}/patches`);
  expectAnswer(answer, { status: 200, headers: { 'content-type': 'application/json' } });
  same('list', JSON.parse(answer.body.toString()), [
    { identifier: 'a.txt', patch_id: patches[0]?.quiltPatchId, tags: {} },
    {
      identifier: 'b.txt',
      patch_id: patches[1]?.quiltPatchId,
      tags: { 'content-type': 'text/x-b', etag: 'another', number: '3', own: 'yes' },
    },
  ]);
});

ours('the list of patches is also at the path in the specification', async (session) => {
  const { quiltId } = await createQuilt(session, tagged);
  const answers = await Promise.all(
    ['/v1', ''].map((prefix) => session.aggregator(`${prefix}/quilts/${quiltId}/patches`)),
  );
  same('body', answers[1]?.body.toString(), answers[0]?.body.toString());
});

row('an unknown identifier is 404 QUILT_PATCH_NOT_FOUND', async (session) => {
  const { quiltId } = await createQuilt(session, tagged);
  const answer = await session.aggregator(`/v1/blobs/by-quilt-id/${quiltId}/c.txt`);
  refused(answer, 404, 'QUILT_PATCH_NOT_FOUND');
});

row('identifiers may be paths, encoded as one path segment', async (session) => {
  const names = ['dir/file.txt', '_test', '-test', '.test', 'with space', 'ü', 'a%b'];
  const { quiltId } = await createQuilt(
    session,
    names.map((name) => file(name)),
  );
  for (const name of names) {
    const path = `/v1/blobs/by-quilt-id/${quiltId}/${encodeURIComponent(name)}`;
    const headers = name === 'ü' ? { 'x-quilt-patch-identifier': null } : {};
    expectAnswer(await session.aggregator(path), { status: 200, headers, body: name });
  }
  const slash = await session.aggregator(`/v1/blobs/by-quilt-id/${quiltId}/dir/file.txt`);
  expectAnswer(slash, { status: 404 });
});

row('an empty patch can be stored and read', async (session) => {
  const { quiltId } = await createQuilt(session, [file('empty', ''), file('full', 'x')]);
  const answer = await session.aggregator(`/v1/blobs/by-quilt-id/${quiltId}/empty`);
  expectAnswer(answer, { status: 200, headers: { 'content-length': '0' }, body: '' });
});

row('file names and types of parts do not matter', async (session) => {
  const parts = [{ name: 'name"; filename="other', content: 'x', headers: 'content-type: image/png\r\n' }];
  const { contentType } = formOf([]);
  const boundary = contentType.split('=')[1];
  const body =
    `--${boundary}\r\ncontent-disposition: form-data; name="name"; filename="other"\r\n` +
    `content-type: image/png\r\n\r\n${parts[0]?.content}\r\n--${boundary}--\r\n`;
  const headers = { 'content-type': contentType };
  const answer = await session.publisher('/v1/quilts', { method: 'PUT', headers, body });
  expectAnswer(answer, { status: 200 });
  same('identifier', jsonOf<QuiltResponse>(answer).storedQuiltBlobs[0]?.identifier, 'name');
});

for (const [why, parts] of [
  ['no parts', []],
  ['only metadata', [metadata([])]],
  ['the same identifier twice', [file('a'), file('a')]],
  [
    'the same identifier twice in the metadata',
    [file('a'), metadata([{ identifier: 'a' }, { identifier: 'a' }])],
  ],
  ['metadata that is not JSON', [file('a'), { name: '_metadata', content: '[{' }]],
  ['metadata that is not a list', [file('a'), { name: '_metadata', content: '{"identifier":"a"}' }]],
  ['metadata without identifier', [file('a'), metadata([{ tags: {} }])]],
  ['a part without name', [{ name: undefined, content: 'x' }]],
  ['an empty name', [file('', 'x')]],
  ['a name that ends in a space', [file('a ', 'x')]],
  ['a control character in a name', [file('a\u0007', 'x')]],
] as [string, Part[]][]) {
  row(`a quilt with ${why} is 400 MALFORMED_REQUEST`, async (session) => {
    refused(await putQuilt(session, parts), 400, 'MALFORMED_REQUEST');
  });
}

row('a quilt that is not a form is 400', async (session) => {
  for (const type of ['application/json', 'multipart/form-data', 'text/plain']) {
    const headers = { 'content-type': type };
    const answer = await session.publisher('/v1/quilts', { method: 'PUT', headers, body: 'x' });
    expectAnswer(answer, { status: 400 });
  }
});

row('a truncated form is 400 MALFORMED_REQUEST', async (session) => {
  const { contentType, body } = formOf([file('a', 'content')]);
  const headers = { 'content-type': contentType };
  const cut = body.subarray(0, body.length - 20);
  const answer = await session.publisher('/v1/quilts', { method: 'PUT', headers, body: cut });
  refused(answer, 400, 'MALFORMED_REQUEST');
});

ours('a quilt holds at most one file fewer than it has columns', async (session) => {
  const columns = session.shards - Math.floor((session.shards - 1) / 3);
  const files = Array.from({ length: columns }, (_, index) => file(`${index}`));
  same('patches', (await createQuilt(session, files.slice(1))).patches.length, columns - 1);
  refused(await putQuilt(session, files), 400, 'MALFORMED_REQUEST');
});

ours('tags of more than 65,535 bytes are 400 MALFORMED_REQUEST', async (session) => {
  const tags = metadata([{ identifier: 'a', tags: { large: 'x'.repeat(65_536) } }]);
  refused(await putQuilt(session, [file('a'), tags]), 400, 'MALFORMED_REQUEST');
});

row('accepts the same parameters as a store of a blob', async (session) => {
  const { quiltId } = await createQuilt(session, [file('a')], '?permanent=true&quilt_version=whatever');
  const again = jsonOf<QuiltResponse>(await putQuilt(session, [file('a')], '?permanent=true'));
  same('blobId', again.blobStoreResult.alreadyCertified?.blobId, quiltId);
  same('patches', again.storedQuiltBlobs.length, 1);
  expectAnswer(await putQuilt(session, [file('a')], '?epochs=x'), { status: 400 });
});

export const quiltRows = rows;
