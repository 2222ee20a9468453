import { expectAnswer, jsonOf } from '../expectations.ts';
import { formOf } from '../form.ts';
import { refused } from '../refused.ts';
import { section } from '../row.ts';
import type { QuiltResponse, Request, Session, StoreResponse } from '../session.ts';

const { rows, ours } = section('§1.8 blocked and too large', ['publisher', 'restrictions']);

const blocked = 'blocked';
const quilt = formOf([{ name: blocked, content: blocked }], 'boundary');
const putQuilt = { method: 'PUT', headers: { 'content-type': quilt.contentType }, body: quilt.body };

type Read = [path: string, request?: Request];

/** Every read of a blob by its ID. */
function readsOf(blobId: string): Read[] {
  const body = JSON.stringify({ ids: [blobId] });
  return [
    [`/v1/blobs/${blobId}`],
    [`/v1/blobs/${blobId}/byte-range?start=0&length=1`],
    [`/v1alpha/blobs/${blobId}/stream`],
    [`/v1alpha/blobs/concat?ids=${blobId}`],
    ['/v1alpha/blobs/concat', { method: 'POST', headers: { 'content-type': 'application/json' }, body }],
  ];
}

/** Every read of a quilt. */
function quiltReadsOf(quiltId: string, patchId: string): Read[] {
  return [
    [`/v1/blobs/by-quilt-patch-id/${patchId}`],
    [`/v1/blobs/by-quilt-id/${quiltId}/name`],
    [`/v1/quilts/${quiltId}/patches`],
    [`/quilts/${quiltId}/patches`],
  ];
}

function at(session: Session, path: string, request: Request = {}) {
  return session.at(session.targets.restricted!, path, request);
}

ours('a blocked blob is 451 FORBIDDEN_BLOB, on every read and when stored', async (session) => {
  // Its ID is known from a publisher that does not block it.
  const { blobId } = (await session.create(blocked)).blobObject;
  const patch = Buffer.concat([Buffer.from(blobId, 'base64url'), Buffer.of(1, 1, 0, 2, 0)]);
  for (const [path, request] of [...readsOf(blobId), ...quiltReadsOf(blobId, patch.toString('base64url'))]) {
    refused(await at(session, path, request), 451, 'FORBIDDEN_BLOB');
  }
  refused(await at(session, '/v1/blobs', { method: 'PUT', body: blocked }), 451, 'FORBIDDEN_BLOB');
  refused(await at(session, '/v1/quilts', putQuilt), 451, 'FORBIDDEN_BLOB');
});

ours('a blob above --max-blob-size is 403 BLOB_TOO_LARGE', async (session) => {
  const stored = await at(session, '/v1/blobs', { method: 'PUT', body: Buffer.alloc(501) });
  expectAnswer(stored, { status: 200 });
  const { id, blobId } = jsonOf<StoreResponse>(stored).newlyCreated!.blobObject;
  for (const [path, request] of readsOf(blobId)) {
    refused(await at(session, path, request), 403, 'BLOB_TOO_LARGE');
  }
  refused(await at(session, `/v1/blobs/by-object-id/${id}`), 403, 'BLOB_TOO_LARGE');
  const within = await at(session, '/v1/blobs', { method: 'PUT', body: Buffer.alloc(500) });
  const { blobObject } = jsonOf<StoreResponse>(within).newlyCreated!;
  expectAnswer(await at(session, `/v1/blobs/${blobObject.blobId}`), { status: 200 });
});

ours(
  'a patch above --max-blob-size is 403 BLOB_TOO_LARGE, and so is the list of a quilt above it',
  async (session) => {
    const { contentType, body } = formOf([{ name: 'name', content: Buffer.alloc(100_000) }]);
    const headers = { 'content-type': contentType };
    const stored = await at(session, '/v1/quilts', { method: 'PUT', headers, body });
    expectAnswer(stored, { status: 200 });
    const { blobStoreResult, storedQuiltBlobs } = jsonOf<QuiltResponse>(stored);
    const { blobId } = blobStoreResult.newlyCreated!.blobObject;
    for (const [path] of quiltReadsOf(blobId, storedQuiltBlobs[0]?.quiltPatchId ?? '')) {
      refused(await at(session, path), 403, 'BLOB_TOO_LARGE');
    }
  },
);

export const restrictionRows = rows;
