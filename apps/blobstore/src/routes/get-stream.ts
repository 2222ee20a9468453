import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { findReadable } from '../aggregator/find-readable.ts';
import { ApiError } from '../base/api-error.ts';
import { requireBlobId } from '../base/ids.ts';
import type { BlobStoreContext } from './context.ts';
import { sendBlob } from './send-blob.ts';

/**
 * `GET /v1alpha/blobs/{blob_id}/stream`: the whole blob, with a header that marks it as streamed, although all
 * reads here are. Supports neither ranges nor flags, and ignores the query as upstream does.
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
      const blob = await findReadable(context, blobId).catch(shortenNotFound);
      const headers = { 'x-walrus-streaming': 'true' };
      return sendBlob(context, request, reply, blob, { check: 'default', headers });
    },
  });
}

/** As upstream, the 404 message of this route lacks the second half of the one of other reads. */
function shortenNotFound(error: unknown): never {
  if (!(error instanceof ApiError) || error.fields.reason !== 'BLOB_NOT_FOUND') throw error;
  throw new ApiError('the requested blob ID does not exist on Walrus', error.fields);
}
