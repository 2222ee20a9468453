import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { storeUnavailable } from '../base/api-error.ts';
import { ignoreContentType, receiveBody } from '../http/receive-body.ts';
import { replyJson } from '../http/reply-json.ts';
import { parseStoreQuery } from '../http/store-query.ts';
import { storeBlob } from '../publisher/store-blob.ts';
import { RegistryUnavailableError } from '../registry/blob-registry.ts';
import type { BlobStoreContext } from './context.ts';

/** `PUT /v1/blobs`: stores the raw body for a number of epochs. */
export function addPutBlob(
  app: FastifyInstance,
  context: BlobStoreContext,
  admission: onRequestAsyncHookHandler,
): void {
  app.route({
    method: 'PUT',
    url: '/v1/blobs',
    onRequest: [context.auth.authorize, admission, ignoreContentType],
    handler: async (request, reply) => {
      const query = parseStoreQuery(request.url);
      const staged = await receiveBody(context.storage, request.raw, context.limits.maxBodyBytes);
      try {
        context.auth.checkStoredSize(request, staged.size);
        return replyJson(reply, JSON.stringify(await storeBlob(context, staged, query)));
      } catch (error) {
        throw error instanceof RegistryUnavailableError ? storeUnavailable(error) : error;
      } finally {
        await context.storage.discard(staged);
      }
    },
  });
}
