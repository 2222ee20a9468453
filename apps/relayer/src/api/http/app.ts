import { runInRequest } from '@memrelay/process/request-scope';
import { ApiError } from '@memrelay/protocol/errors';
import { corsAllowedHeaders, corsExposedHeaders, headers } from '@memrelay/protocol/headers';
import type { HostRules } from '@memrelay/protocol/host-rules';
import { limits } from '@memrelay/protocol/limits';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { answerMalformed, answerUnservable } from './bare-replies.ts';
import { answerNotFound, errorHandler, notFoundHandler } from './error-replies.ts';
import { requestIdOf } from './request-id.ts';
import { route } from './route.ts';

export interface AppOptions {
  log: Logger;
  /** Browser origins that may call; empty = none */
  allowedOrigins: readonly string[];
  /** Host names that requests may use */
  hosts: HostRules;
  /** Linked from the page that people see when they open the relayer in a browser */
  dashboardUrl?: string | undefined;
}

/** The Fastify instance with what all routes share: request ids, CORS, error bodies, one log line per request. */
export function createApp(options: AppOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    genReqId: requestIdOf,
    bodyLimit: limits.bodyBytes,
    requestTimeout: 60_000,
    // Otherwise Node would refuse a request without `Host` itself, with an empty body
    http: { requireHostHeader: false },
    // Clients sign the path as they send it, so it must not be rewritten. Each route limits the length of its ids; Node
    // limits the total size of the request head.
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 65_536 },
    frameworkErrors: (error, request, reply) => {
      reply.header(headers.requestId, request.id);
      errorHandler(options.log)(error, request, reply);
    },
    clientErrorHandler: (error, socket) => answerMalformed(error, socket),
  });
  answerUnservable(app.server);
  // No route here reads a body, so a body must not turn a 404 or 405 into another error
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  // Must be the first hook, so that everything that runs for the request is in its scope
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('finish', runInRequest(request.id, done));
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header(headers.requestId, request.id);
    allowOrigin(request, options.allowedOrigins, (name, value) => reply.header(name, value));
    checkHost(request, options.hosts);
  });
  // Fastify closes idle connections. One that gets a response during shutdown would delay the shutdown by a minute.
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    options.log.info(
      {
        request_id: request.id,
        method: request.method,
        // The route, not the URL: keeps job and account ids out of the request log
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
  });
  app.options('/*', route({ auth: 'none' }), async (request, reply) => {
    if (!isAllowed(request, options.allowedOrigins)) return answerNotFound(request, reply);
    return reply
      .header('access-control-allow-methods', 'GET, POST, DELETE, OPTIONS')
      .header('access-control-allow-headers', corsAllowedHeaders.join(', '))
      .header('access-control-max-age', '86400')
      .code(204)
      .send();
  });
  app.setErrorHandler(errorHandler(options.log));
  app.setNotFoundHandler(notFoundHandler(options.dashboardUrl));
  return app;
}

function isAllowed(request: FastifyRequest, origins: readonly string[]): boolean {
  return request.headers.origin !== undefined && origins.includes(request.headers.origin);
}

function allowOrigin(
  request: FastifyRequest,
  origins: readonly string[],
  set: (name: string, value: string) => void,
): void {
  if (origins.length > 0) set('vary', 'origin');
  if (!isAllowed(request, origins)) return;
  set('access-control-allow-origin', request.headers.origin!);
  set('access-control-expose-headers', corsExposedHeaders.join(', '));
}

/** Routes probed by container platforms, which call them under changing host names. */
const probes: ReadonlySet<string | undefined> = new Set(['/live', '/ready']);

/** Throws `host_not_allowed` for a name that is not allowed, and `invalid_request` for no `Host` header or several. */
function checkHost(request: FastifyRequest, hosts: HostRules): void {
  const verdict = hosts.check(request.raw);
  if (verdict === 'allowed') return;
  if (verdict === 'refused') {
    if (!hosts.isLoopback && probes.has(request.routeOptions.url)) return;
    throw new ApiError('host_not_allowed');
  }
  throw new ApiError('invalid_request', { message: 'A request needs exactly one Host header.' });
}
