import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chainWorld } from './chain-world.ts';
import { refusal, temporaryDirectory } from './running-store.ts';
import { nodesClient } from './walrus-client.ts';

const { localnet, owner: signer, startOnChain } = await chainWorld();

type Walrus = Awaited<ReturnType<typeof nodesClient>>['walrus'];

async function start() {
  const dataDir = await temporaryDirectory();
  const store = await startOnChain({ dataDir });
  const { walrus } = await nodesClient(localnet.url);
  const put = (node: number, path: string, body: Uint8Array) =>
    fetch(`${store.url}/nodes/${node}/v1/blobs/${path}`, { method: 'PUT', body: Buffer.from(body) });
  const get = (node: number, path: string) => fetch(`${store.url}/nodes/${node}/v1/blobs/${path}`);
  const staged = () => readdir(join(dataDir, 'slivers')).catch(() => []);
  return { walrus, store, put, get, staged };
}

/** Captures the client's requests for a blob: the node of each sliver, and its body. */
async function captured(walrus: Walrus, blob: Uint8Array, register = true) {
  const encoded = await walrus.encodeBlob(blob);
  const { blobId, rootHash } = encoded;
  const registered = register
    ? await walrus.executeRegisterBlobTransaction({
        signer,
        blobId,
        rootHash,
        size: blob.length,
        epochs: 1,
        deletable: true,
        owner: signer.toSuiAddress(),
      })
    : undefined;
  const requests: { path: string; body: Uint8Array }[] = [];
  const { walrus: recorder } = await nodesClient(localnet.url, {
    fetch: async (input, init) => {
      const [, path] = /(\/nodes\/.*)$/.exec(String(input))!;
      requests.push({ path: path!, body: init?.body as Uint8Array });
      return Response.json({ success: { code: 200, data: 'Nonexistent' } });
    },
  });
  const { metadata, sliversByNode } = encoded;
  await recorder.writeMetadataToNode({ nodeIndex: 0, blobId, metadata });
  for (const [nodeIndex, slivers] of sliversByNode.entries()) {
    await recorder.writeSliversToNode({ nodeIndex, blobId, slivers });
  }
  const [first, ...slivers] = requests;
  return { blobId, metadata: first!.body, slivers, objectId: registered?.blob.id ?? '' };
}

test('accepts and stores nothing for an unregistered blob', async () => {
  const { walrus, put, get, staged, store } = await start();
  const { blobId, metadata, slivers } = await captured(walrus, randomBytes(500), false);
  const notRegistered = { status: 400, reason: 'NOT_REGISTERED' };
  expect(await refusal(await put(0, `${blobId}/metadata`, metadata))).toEqual(notRegistered);
  const answer = await fetch(store.url + slivers[0]!.path, {
    method: 'PUT',
    body: Buffer.from(slivers[0]!.body),
  });
  expect(await refusal(answer)).toEqual(notRegistered);
  for (const kind of ['permanent', `deletable/0x${'1'.repeat(64)}`]) {
    expect(await refusal(await get(0, `${blobId}/confirmation/${kind}`))).toEqual(notRegistered);
  }
  const status = await get(0, `${blobId}/metadata/status`);
  expect(await status.json()).toEqual({ success: { code: 200, data: 'Nonexistent' } });
  expect(await staged()).toEqual([]);
});

test('accepts only metadata and slivers of the blob', async () => {
  const { walrus, store, put, get } = await start();
  const { blobId, metadata, slivers, objectId } = await captured(walrus, randomBytes(500));
  const other = await captured(walrus, randomBytes(500));
  const send = ({ path, body }: { path: string; body: Uint8Array }) =>
    fetch(store.url + path, { method: 'PUT', body: Buffer.from(body) });
  const changed = (bytes: Uint8Array, at: number) => bytes.with(at, bytes[at]! ^ 1);
  const [sliver] = slivers;

  expect(await refusal(await send(sliver!))).toEqual({ status: 400, reason: 'METADATA_NOT_FOUND' });
  const invalid = { status: 400, reason: 'INVALID_METADATA' };
  for (const body of [
    other.metadata,
    changed(metadata, 0),
    changed(metadata, 1),
    changed(metadata, 2),
    changed(metadata, metadata.length - 1),
    metadata.slice(0, -1),
    new Uint8Array(),
  ]) {
    expect(await refusal(await put(0, `${blobId}/metadata`, body))).toEqual(invalid);
  }
  const longer = new Uint8Array(metadata.length + 100);
  expect((await put(0, `${blobId}/metadata`, longer)).status).toBe(413);
  expect((await put(0, `${blobId}/metadata`, metadata)).status).toBe(200);

  const { path, body } = sliver!;
  for (const bad of [changed(body, 0), changed(body, 1), changed(body, body.length - 1), body.slice(1)]) {
    expect(await refusal(await send({ path, body: bad }))).toEqual({ status: 400, reason: 'INVALID_SLIVER' });
  }
  expect((await send({ path, body: new Uint8Array(body.length + 1) })).status).toBe(413);
  expect(await refusal(await get(0, `${blobId}/confirmation/deletable/${objectId}`))).toEqual({
    status: 400,
    reason: 'MISSING_SLIVERS',
  });
  const [, node, rest] = /^\/nodes\/(\d+)(.*)$/.exec(path)!;
  const elsewhere = { path: `/nodes/${(Number(node) + 5) % 11}${rest}`, body };
  expect(await refusal(await send(elsewhere))).toEqual({ status: 400, reason: 'SHARD_NOT_ASSIGNED' });
  expect((await send({ path: path.replace(/slivers\/\d+/, 'slivers/31'), body })).status).toBe(400);
  expect((await send({ path: path.replace('primary', 'tertiary'), body })).status).toBe(404);
  expect((await send({ path: path.replace(/nodes\/\d+/, 'nodes/11'), body })).status).toBe(404);

  for (const one of slivers) expect((await send(one)).status).toBe(200);
  expect((await get(3, `${blobId}/confirmation/deletable/${objectId}`)).status).toBe(200);
  expect(await refusal(await get(3, `${blobId}/confirmation/permanent`))).toEqual({
    status: 400,
    reason: 'NOT_REGISTERED',
  });
  expect(await refusal(await get(0, `${blobId}/metadata`))).toEqual({
    status: 404,
    reason: 'METADATA_NOT_FOUND',
  });
  for (const one of slivers) expect((await send(one)).status).toBe(200);
});

test('each node signs the confirmation of the requested object with its own key', async () => {
  const { walrus, get } = await start();
  const blob = randomBytes(64);
  const { blobId, blobObject } = await walrus.writeBlob({ blob, deletable: true, epochs: 1, signer });
  const answers = [];
  for (const node of [0, 1, 10]) {
    const answer = await get(node, `${blobId}/confirmation/deletable/${blobObject.id}`);
    answers.push((await answer.json()) as { success: { data: { signed: { signature: string } } } });
  }
  expect(new Set(answers.map(({ success }) => success.data.signed.signature)).size).toBe(3);
});

test('the chain lists only what the storage nodes themselves announce', async () => {
  const { walrus } = await start();
  const announce = (body: object) =>
    fetch(`${localnet.url}/storage-nodes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const url = 'http://127.0.0.1:1';
  expect((await announce({ url, signature: 'AAAA' })).status).toBe(401);
  expect((await announce({ url: 'file:///etc/passwd', signature: 'AAAA' })).status).toBe(400);
  expect((await announce({})).status).toBe(400);
  expect(await walrus.getVerifiedBlobStatus({ blobId: 'A'.repeat(43) })).toEqual({ type: 'nonexistent' });
});
