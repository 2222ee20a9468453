import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { findReadable, orUnavailable } from '../aggregator/find-readable.ts';
import { blobNotFound } from '../base/api-error.ts';
import { requireObjectId } from '../base/ids.ts';
import { parseRange } from '../http/byte-range.ts';
import type { BlobStoreContext } from './context.ts';
import { parseReadQuery } from './read-query.ts';
import { sendBlob } from './send-blob.ts';

/**
 * `GET /v1/blobs/by-object-id/{id}`: like a read by blob id, with the allowed attributes of the object as headers.
 * Also accepts the id of the shared object that contains it.
 */
export function addGetBlobByObjectId(
  app: FastifyInstance,
  context: BlobStoreContext,
  admission: onRequestAsyncHookHandler,
): void {
  app.route<{ Params: { objectId: string } }>({
    method: ['GET', 'HEAD'],
    url: '/v1/blobs/by-object-id/:objectId',
    onRequest: admission,
    handler: async (request, reply) => {
      const objectId = requireObjectId(request.params.objectId);
      const check = parseReadQuery(request.url);
      const object = await orUnavailable(context.registry.find(objectId));
      if (object === undefined) throw blobNotFound();
      const { blobId, attributes } = object;
      const blob = await findReadable(context, blobId);
      const range = parseRange(request.headers.range, blob.size);
      return sendBlob(context, request, reply, blob, { range, isPartial: true, check, attributes });
    },
  });
}
