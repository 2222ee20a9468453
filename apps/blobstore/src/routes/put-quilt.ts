import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { malformedRequest, storeUnavailable } from '../base/api-error.ts';
import { replyJson } from '../http/reply-json.ts';
import { parseStoreQuery } from '../http/store-query.ts';
import type { StoreQuery } from '../publisher/store-blob.ts';
import { checkQuiltSize, type QuiltStoreResponse, storeQuilt } from '../publisher/store-quilt.ts';
import { planQuilt } from '../quilt/plan-quilt.ts';
import { quiltBytes } from '../quilt/quilt-layout.ts';
import { RegistryUnavailableError } from '../registry/blob-registry.ts';
import type { BlobStoreContext } from './context.ts';
import { asQuiltRefusal } from './quilt-api-errors.ts';
import { type ReceivedQuilt, receiveQuilt } from './receive-quilt.ts';

/** `PUT /v1/quilts`: stores the files of a multipart form as one blob, for a number of epochs. */
export function addPutQuilt(
  app: FastifyInstance,
  context: BlobStoreContext,
  admission: onRequestAsyncHookHandler,
): void {
  app.route({
    method: 'PUT',
    url: '/v1/quilts',
    onRequest: [context.auth.authorize, admission],
    handler: async (request, reply) => {
      const query = parseStoreQuery(request.url);
      const received = await receive(context, request.raw);
      const answer = await store(context, request, query, received);
      return replyJson(reply, JSON.stringify(answer));
    },
  });
}

async function store(
  context: BlobStoreContext,
  request: FastifyRequest,
  query: StoreQuery,
  { staged, files }: ReceivedQuilt,
): Promise<QuiltStoreResponse> {
  try {
    if (files.length === 0) throw malformedRequest('no files provided in multipart form');
    const plan = planQuilt(files, context.nShards);
    context.auth.checkStoredSize(request, quiltBytes(plan.layout));
    checkQuiltSize(plan, context);
    return await storeQuilt(context, plan, staged, query);
  } catch (error) {
    if (error instanceof RegistryUnavailableError) throw storeUnavailable(error);
    throw asQuiltRefusal(error, context.limits.maxQuiltBodyBytes);
  } finally {
    await context.storage.discard(staged);
  }
}

async function receive(context: BlobStoreContext, raw: IncomingMessage): Promise<ReceivedQuilt> {
  try {
    return await receiveQuilt(context, raw);
  } catch (error) {
    if (raw.errored !== null) throw malformedRequest('the body ended too early');
    // The response is sent on this connection, after its body has been read and discarded.
    raw.resume();
    throw asQuiltRefusal(error, context.limits.maxQuiltBodyBytes);
  }
}
