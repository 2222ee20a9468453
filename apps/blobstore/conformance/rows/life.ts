import { expectAnswer } from '../expectations.ts';
import { refused } from '../refused.ts';
import { section } from '../row.ts';

const { rows, row } = section('§4.1 lifetime of a blob', ['publisher', 'aggregator', 'admin']);

row('a deleted blob is 404, a permanent one stays', async (session) => {
  const { blobObject } = await session.create('to be deleted');
  expectAnswer(await session.admin(`/objects/${blobObject.id}`, 'DELETE'), { status: 200 });
  refused(await session.aggregator(`/v1/blobs/${blobObject.blobId}`), 404, 'BLOB_NOT_FOUND');
  const permanent = (await session.create('to be kept', '?permanent=true')).blobObject;
  refused(await session.admin(`/objects/${permanent.id}`, 'DELETE'), 409, 'BLOB_NOT_DELETABLE');
  expectAnswer(await session.aggregator(`/v1/blobs/${permanent.blobId}`), { status: 200 });
});

const troubles = [
  ['BLOB_UNAVAILABLE', 503, 'BLOB_UNAVAILABLE'],
  ['TOO_MANY_REQUESTS', 429, 'TOO_MANY_REQUESTS'],
  ['INTERNAL_ERROR', 500, 'INTERNAL_ERROR'],
] as const;

for (const [fault, status, reason] of troubles) {
  row(`${status} ${reason} is the same on every read`, async (session) => {
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
  });
}

row('a blob is gone when its end epoch begins', async (session) => {
  const { blobObject } = await session.create('ends soon');
  const longer = (await session.create('ends later', '?epochs=2')).blobObject;
  expectAnswer(await session.admin('/epoch/advance', 'POST', {}), { status: 200 });
  refused(await session.aggregator(`/v1/blobs/${blobObject.blobId}`), 404, 'BLOB_NOT_FOUND');
  expectAnswer(await session.aggregator(`/v1/blobs/${longer.blobId}`), { status: 200 });
});

/** The last row ends an epoch, which expires the blobs that other rows share. */
export const lifeRows = rows;
