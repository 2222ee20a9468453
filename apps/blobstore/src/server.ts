import type { HostRules } from '@memrelay/protocol/host-rules';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { addAdmin } from './admin/admin-routes.ts';
import type { BlobStoreAdmin } from './admin/blob-store-admin.ts';
import { hostNotAllowed, malformedRequest } from './base/api-error.ts';
import { createAdmission } from './http/admission.ts';
import { replyClientError, replyExpectationFailed } from './http/client-error.ts';
import { addCors, corsHeaders } from './http/cors.ts';
import { addErrorReplies, collectMethods, refuseOtherMethods, replyError } from './http/error-replies.ts';
import { requestIdOf } from './http/request-id.ts';
import { addApiReference } from './openapi/add-api-reference.ts';
import { addConcatBlobs } from './routes/concat-blobs.ts';
import type { BlobStoreContext } from './routes/context.ts';
import { addGetBlob } from './routes/get-blob.ts';
import { addGetBlobByObjectId } from './routes/get-blob-by-object-id.ts';
import { addGetByteRange } from './routes/get-byte-range.ts';
import { addGetQuiltPatch } from './routes/get-quilt-patch.ts';
import { addGetStream } from './routes/get-stream.ts';
import { addListQuiltPatches } from './routes/list-quilt-patches.ts';
import { addPutBlob } from './routes/put-blob.ts';
import { addPutQuilt } from './routes/put-quilt.ts';
import { addStorageNodes } from './storage-node/node-routes.ts';
import type { StorageNodes } from './storage-node/storage-nodes.ts';
import { addUploadRelay } from './upload-relay/relay-routes.ts';

/** The identifier of a quilt patch is one path segment of up to 65,535 bytes, so the head of a request may be longer. */
const maxHeadBytes = 80 * 1024;

/** A slow upload must not occupy one of the publisher's places forever. */
const requestTimeoutMs = 300_000;

export interface ServerParts {
  /** Without it the routes below `/admin` do not exist */
  adminToken?: string | undefined;
  /** Protects against DNS rebinding; set if only this machine can reach the store */
  hosts?: HostRules | undefined;
  /** Origins whose pages may do more than read; any when absent */
  allowedOrigins?: readonly string[] | undefined;
  /** Without them the routes below `/nodes` do not exist */
  storageNodes?: StorageNodes | undefined;
}

/** Builds the HTTP server for a context. It is not listening yet. */
export function buildServer(
  context: BlobStoreContext,
  admin: BlobStoreAdmin,
  { adminToken, hosts, allowedOrigins, storageNodes }: ServerParts,
): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = context.logger;
  const app = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestIdOf,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestTimeout: requestTimeoutMs,
    clientErrorHandler: replyClientError,
    // `addHostCheck` checks it instead and replies with the envelope.
    http: { requireHostHeader: false, maxHeaderSize: maxHeadBytes },
    routerOptions: { maxParamLength: maxHeadBytes },
    // For a path that cannot be decoded this is called before any hook has run.
    frameworkErrors: (error, request, reply) => {
      reply.headers({ 'x-request-id': request.id, ...corsHeaders });
      return replyError(error, request, reply);
    },
  });
  app.server.on('checkExpectation', replyExpectationFailed);
  // Bodies of any type, or none, reach the routes as the untouched stream; they enforce their own limits.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async () => undefined);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  addHostCheck(app, hosts);
  addCors(app, allowedOrigins);
  addErrorReplies(app);

  const publisher = createAdmission('publisher', context.limits.publisher);
  const aggregator = createAdmission('aggregator', context.limits.aggregator);
  const methods = collectMethods(app);
  // Outside the concurrency limits, so that a busy store does not appear dead.
  app.route({ method: ['GET', 'HEAD'], url: '/status', handler: async () => 'OK' });
  addApiReference(app);
  addPutBlob(app, context, publisher);
  addPutQuilt(app, context, publisher);
  addUploadRelay(app, context);
  if (storageNodes !== undefined) addStorageNodes(app, storageNodes);
  for (const addRead of [addGetBlob, addGetBlobByObjectId, addGetByteRange, addGetStream, addConcatBlobs]) {
    addRead(app, context, aggregator);
  }
  addGetQuiltPatch(app, context, aggregator);
  addListQuiltPatches(app, context, aggregator);
  if (adminToken !== undefined) addAdmin(app, admin, adminToken);
  refuseOtherMethods(app, methods);
  return app;
}

/**
 * Checks the `Host` header. With `hosts`, rejects names that are not allowed. Always rejects HTTP/1.1 requests
 * without `Host`, and requests with two (RFC 9112, 3.2), because a proxy may have used the other one. Node could
 * reject a missing `Host` itself, but without the error envelope. An empty `Host` is accepted.
 */
function addHostCheck(app: FastifyInstance, hosts: HostRules | undefined): void {
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (hosts?.check(raw) === 'refused') throw hostNotAllowed();
    const count = raw.headersDistinct.host?.length ?? 0;
    const needed = raw.httpVersion === '1.1' ? 1 : 0;
    if (count >= needed && count <= 1) return;
    reply.headers(corsHeaders);
    throw malformedRequest(`the request has ${count === 0 ? 'no Host header' : 'more than one Host header'}`);
  });
}
