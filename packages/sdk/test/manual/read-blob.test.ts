import { computeBlobId } from '@memrelay/blob-id/blob-id';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { toHex } from '@memrelay/protocol/bytes';
import { expect, it } from 'vitest';
import { createBlobReader } from '../../src/manual/read-blob.ts';
import { type ScriptedAnswer, startWire } from '../wire-double.ts';

const nShards = 31;
const text = 'the bytes of a blob';
const bytes = new TextEncoder().encode(text);
const { blobId } = computeBlobId(bytes, { nShards });
const sha256 = toHex(p.sha256(bytes));
const patchId = 'A'.repeat(50);

function reader(urls: readonly string[], options: { checkBlobIds?: boolean; timeoutMs?: number } = {}) {
  const network = {
    aggregatorUrls: urls.map((url) => new URL(url)),
    guardedFetch: fetch,
    nShards: async () => nShards,
  };
  return createBlobReader({ network, primitives: p, checkBlobIds: false, timeoutMs: 5_000, ...options });
}

const good: ScriptedAnswer = { text };
const lie: ScriptedAnswer = { text: 'the bytes of a blog' };

it('returns a blob verified by its digest, or only by its id', async () => {
  await using wire = await startWire([good]);
  const read = { ok: true, bytes };
  expect(await reader([`${wire.url}/walrus`]).read({ blobId, sha256 }, undefined)).toEqual(read);
  expect(await reader([wire.url]).read({ blobId }, undefined)).toEqual(read);
  expect(await reader([wire.url], { checkBlobIds: true }).read({ blobId, sha256 }, undefined)).toEqual(read);
  expect(await reader([wire.url]).read({ blobId: patchId, sha256 }, undefined)).toEqual(read);
  expect(wire.seen.map(({ path }) => path)).toEqual([
    `/walrus/v1/blobs/${blobId}`,
    `/v1/blobs/${blobId}`,
    `/v1/blobs/${blobId}`,
    `/v1/blobs/by-quilt-patch-id/${patchId}`,
  ]);
});

it.each([
  ['by digest', { blobId, sha256 }],
  ['by id', { blobId }],
  ['of a patch', { blobId: patchId, sha256 }],
])('rejects wrong bytes, %s', async (_how, place) => {
  await using wire = await startWire([lie]);
  expect(await reader([wire.url]).read(place, undefined)).toMatchObject({ ok: false, reason: 'wrong_bytes' });
  expect(wire.seen).toHaveLength(1);
});

it('checks the id in addition to the digest if required', async () => {
  await using wire = await startWire([good]);
  const other = computeBlobId(Uint8Array.of(1), { nShards }).blobId;
  const checked = reader([wire.url], { checkBlobIds: true });
  expect(await checked.read({ blobId: other, sha256 }, undefined)).toMatchObject({ reason: 'wrong_bytes' });
});

it('sends no request for unverifiable or invalid ids', async () => {
  await using wire = await startWire([good]);
  for (const place of [
    { blobId: patchId },
    { blobId: '../../etc', sha256 },
    { blobId: `${blobId}/`, sha256 },
  ])
    expect(await reader([wire.url]).read(place, undefined)).toMatchObject({ reason: 'unverifiable' });
  expect(wire.seen).toEqual([]);
});

it('does not wait forever without aggregators', async () => {
  expect(await reader([]).read({ blobId, sha256 }, undefined)).toMatchObject({ reason: 'blob_unavailable' });
});

it('tries the next aggregator immediately after a failure or wrong bytes, and soon if one is slow', async () => {
  await using liar = await startWire([lie]);
  await using broken = await startWire([{ status: 500 }]);
  await using silent = await startWire(['silence']);
  await using honest = await startWire([good]);
  const urls = [liar.url, broken.url, silent.url, honest.url];
  expect(await reader(urls).read({ blobId, sha256 }, undefined)).toEqual({ ok: true, bytes });
});

it('does not trust the first 404 for a blob that was just stored', async () => {
  await using wire = await startWire([{ status: 404 }, { status: 404 }, good]);
  expect(await reader([wire.url]).read({ blobId, sha256 }, undefined)).toEqual({ ok: true, bytes });
});

it.each<[string, ScriptedAnswer, string]>([
  ['missing', { status: 404 }, 'blob_missing'],
  ['unavailable', { status: 503 }, 'blob_unavailable'],
  ['cut off', 'drop', 'blob_unavailable'],
])('reports %s', async (_what, answer, reason) => {
  await using wire = await startWire([answer]);
  expect(await reader([wire.url]).read({ blobId, sha256 }, undefined)).toMatchObject({ ok: false, reason });
});

it('reads at most the maximum size of a memory', async () => {
  await using wire = await startWire([{ text: 'x'.repeat(1_572_865) }]);
  const message = expect.stringContaining('more than the maximum size of a memory');
  expect(await reader([wire.url]).read({ blobId, sha256 }, undefined)).toMatchObject({ ok: false, message });
});

it('respects its timeout and the abort of its caller', async () => {
  await using wire = await startWire(['silence']);
  const slow = reader([wire.url], { timeoutMs: 30 });
  expect(await slow.read({ blobId, sha256 }, undefined)).toMatchObject({ reason: 'blob_unavailable' });
  const controller = new AbortController();
  const before = wire.seen.length;
  const waiting = reader([wire.url]).read({ blobId, sha256 }, controller.signal);
  await wire.requests(before + 1);
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});
