import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { computeBlobId } from '@memrelay/blob-id/blob-id';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import { afterEach, describe, expect, test } from 'vitest';
import { type BlobPublisher, createPublisher, type FindDelivered } from '../src/store/publisher.ts';

const { blobId } = computeBlobId(Buffer.from('an envelope'), { nShards: 31 });
const created = {
  newlyCreated: {
    blobObject: { id: '0x1', blobId, storage: { endEpoch: 9 }, deletable: true },
    cost: 1,
  },
};
const owner = `0x${'1'.repeat(64)}`;

const open: { server: Server; publisher: BlobPublisher }[] = [];
afterEach(async () => {
  for (const { server, publisher } of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await publisher.close();
  }
});

type Delivered = Awaited<ReturnType<FindDelivered>>;

async function store(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  {
    basePath = '',
    resume = false,
    delivered,
  }: { basePath?: string; resume?: boolean; delivered?: Delivered } = {},
) {
  const seen: { url?: string; method?: string; body?: Buffer } = {};
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    Object.assign(seen, { url: request.url, method: request.method, body: Buffer.concat(parts) });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const publisher = createPublisher(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}${basePath}`,
    { ofBytes: async (bytes) => computeBlobId(bytes, { nShards: 31 }) },
    async () => delivered,
  );
  open.push({ server, publisher });
  const checkpoints: UploadCheckpoint[] = [];
  for await (const checkpoint of publisher.store(
    { bytes: Buffer.from('an envelope') },
    { owner, epochs: 3, resume },
  ))
    checkpoints.push(checkpoint);
  const result = checkpoints.at(-1);
  return { result, seen, checkpoints };
}
const json =
  (body: unknown, status = 200) =>
  (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe('an upload through a publisher', () => {
  test('sends the bytes for the owner and reports the stored blob', async () => {
    const { result, seen } = await store(json(created), { basePath: '/behind/a/path' });
    expect(seen).toEqual({
      method: 'PUT',
      url: `/behind/a/path/v1/blobs?epochs=3&send_object_to=${owner}`,
      body: Buffer.from('an envelope'),
    });
    expect(result).toEqual({ stage: 'done', blob_id: blobId, object_id: '0x1', end_epoch: 9 });
  });

  test('reports the blob id before the publisher responds', async () => {
    const { checkpoints } = await store(json(created, 500));
    expect(checkpoints).toEqual([
      { stage: 'named', blob_id: blobId },
      { stage: 'failed', kind: 'transient', reason: 'the publisher answered 500' },
    ]);
  });

  test('accepts an existing blob, with its object or with the event that created it', async () => {
    const withEvent = { alreadyCertified: { blobId, event: { txDigest: 'd', eventSeq: '0' }, endEpoch: 7 } };
    expect((await store(json(withEvent))).result).toEqual({ stage: 'done', blob_id: blobId, end_epoch: 7 });
  });

  test('reuses the object that an earlier attempt delivered, and stores nothing', async () => {
    const delivered = { objectId: '0x9', endEpoch: 12 };
    const again = await store(json(created), { resume: true, delivered });
    expect(again.result).toEqual({ stage: 'done', blob_id: blobId, object_id: '0x9', end_epoch: 12 });
    expect(again.seen).toEqual({});
    const lost = await store(json(created), { resume: true });
    expect(lost.result).toMatchObject({ stage: 'done', object_id: '0x1' });
    const first = await store(json(created), { delivered });
    expect(first.result).toMatchObject({ stage: 'done', object_id: '0x1' });
  });

  test('does not trust a publisher that reports a different blob', async () => {
    const other = 'b'.repeat(42).concat('A');
    const { blobObject } = created.newlyCreated;
    for (const answer of [
      { newlyCreated: { ...created.newlyCreated, blobObject: { ...blobObject, blobId: other } } },
      { alreadyCertified: { blobId: other, object: '0x2', endEpoch: 7 } },
    ]) {
      const { result } = await store(json(answer));
      expect(result).toMatchObject({
        stage: 'failed',
        kind: 'transient',
        reason: expect.stringContaining('different blob'),
      });
    }
  });

  test.each([400, 413, 422, 451])('fails permanently with status %i', async (status) => {
    const { result } = await store(json({ error: 'inner words' }, status));
    expect(result).toMatchObject({ stage: 'failed', kind: 'permanent' });
    expect(JSON.stringify(result)).not.toContain('inner words');
  });

  test.each([401, 403, 404, 429, 500, 503, 302])('can be retried after status %i', async (status) => {
    expect((await store(json({}, status))).result).toMatchObject({ stage: 'failed', kind: 'transient' });
  });

  test('reports a publisher without storage space', async () => {
    const full = { stage: 'failed', kind: 'transient', store_full: true };
    expect((await store(json({}, 507))).result).toMatchObject(full);
    expect((await store(json({}, 503))).result).not.toHaveProperty('store_full');
  });

  test.each([
    ['an error inside a success', { error: 'no space' }],
    [
      'an id in another format',
      { newlyCreated: { blobObject: { id: '0x1', blobId: '../../etc', storage: { endEpoch: 1 } } } },
    ],
    ['nothing', null],
  ])('can be retried after %s', async (_what, body) => {
    expect((await store(json(body))).result).toMatchObject({ stage: 'failed', kind: 'transient' });
  });

  test('can be retried after a lost connection or a response that is not JSON', async () => {
    expect((await store((request) => void request.socket.destroy())).result).toMatchObject({
      kind: 'transient',
    });
    expect((await store((_request, response) => void response.end('<html>'))).result).toMatchObject({
      kind: 'transient',
    });
  });
});
