import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { findReadable } from '../aggregator/find-readable.ts';
import { requireBlobId } from '../base/ids.ts';
import { parseRange } from '../http/byte-range.ts';
import type { BlobStoreContext } from './context.ts';
import { parseReadQuery } from './read-query.ts';
import { sendBlob } from './send-blob.ts';

/** `GET /v1/blobs/{blob_id}`: the bytes of a blob, or with a `Range` header a part of them. */
export function addGetBlob(
  app: FastifyInstance,
  context: BlobStoreContext,
  admission: onRequestAsyncHookHandler,
): void {
  app.route<{ Params: { blobId: string } }>({
    method: ['GET', 'HEAD'],
    url: '/v1/blobs/:blobId',
    onRequest: admission,
    handler: async (request, reply) => {
      const blobId = requireBlobId(request.params.blobId);
      const check = parseReadQuery(request.url);
      const blob = await findReadable(context, blobId);
      const range = parseRange(request.headers.range, blob.size);
      return sendBlob(context, request, reply, blob, { range, isPartial: true, check });
    },
  });
}
