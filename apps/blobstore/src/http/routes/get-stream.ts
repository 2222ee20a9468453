import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { findReadable } from '../../aggregator/find-readable.ts';
import type { BlobStoreContext } from '../../blob-store-context.ts';
import { requireBlobId } from '../require-blob-id.ts';
import { sendBlob } from '../send-blob.ts';

/**
 * `GET /v1alpha/blobs/{blob_id}/stream`: the whole blob, with a header that says that it comes as it is read. All
 * our reads do; this route takes neither ranges nor flags, and as upstream it does not look at its query.
 */
export function addGetStream(
  app: FastifyInstance,
  context: BlobStoreContext,
  admission: onRequestAsyncHookHandler,
): void {
  app.route<{ Params: { blobId: string } }>({
    method: ['GET', 'HEAD'],
    url: '/v1alpha/blobs/:blobId/stream',
    onRequest: admission,
    handler: async (request, reply) => {
      const blobId = requireBlobId(request.params.blobId);
      const blob = await findReadable(context, blobId);
      const headers = { 'x-walrus-streaming': 'true' };
      return sendBlob(context, request, reply, blob, { check: 'default', headers });
    },
  });
}
