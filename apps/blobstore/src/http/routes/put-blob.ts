import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { BlobStoreContext } from '../../blob-store-context.ts';
import { storeBlob } from '../../publisher/store-blob.ts';
import { RegistryUnavailableError } from '../../registry/blob-registry.ts';
import { BodyTooLargeError, type StagedBlob } from '../../storage/storage.ts';
import { malformedRequest, payloadTooLarge, storeUnavailable } from '../api-error.ts';
import { replyJson } from '../reply-json.ts';
import { parseStoreQuery } from '../store-query.ts';

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
      const staged = await receive(context, request);
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

/** The body is bytes whatever it is called; Fastify would refuse a content type that it cannot parse. */
const ignoreContentType: onRequestAsyncHookHandler = async ({ raw }) => {
  delete raw.headers['content-type'];
};

async function receive({ storage, limits }: BlobStoreContext, { raw }: FastifyRequest): Promise<StagedBlob> {
  const limit = limits.maxBodyBytes;
  if (Number(raw.headers['content-length'] ?? 0) > limit) throw payloadTooLarge(limit);
  try {
    // Leaving the loop early must not destroy the connection that the 413 goes out on; the rest of the body
    // is read and thrown away instead.
    return await storage.stage(raw.iterator({ destroyOnReturn: false }), limit);
  } catch (error) {
    if (error instanceof BodyTooLargeError) {
      raw.resume();
      throw payloadTooLarge(limit);
    }
    if (raw.destroyed && !raw.complete) throw malformedRequest('the body ended too early');
    throw error;
  }
}
