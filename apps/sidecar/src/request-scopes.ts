import { runInRequest } from '@memrelay/process/request-scope';
import { enterRequestSpan } from '@memrelay/process/request-span';
import { noTracing, type Tracing } from '@memrelay/process/tracing';
import { headers, requestIdPattern } from '@memrelay/protocol/headers';
import type { FastifyInstance } from 'fastify';

/** Continues the request id and the trace of the relayer: in every log line, and in a span for each request. */
export function registerScopes(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, reply, done) => {
    const given = request.headers[headers.requestId];
    if (typeof given !== 'string' || !requestIdPattern.test(given)) return done();
    reply.raw.once('close', runInRequest(given, done));
  });
  if (tracing === noTracing) return;
  app.addHook('onRequest', (request, reply, done) => {
    // Health checks and background work have none
    if (typeof request.headers.traceparent !== 'string') return done();
    const route = request.routeOptions.url ?? 'unknown';
    enterRequestSpan(tracing, { request: request.raw, response: reply.raw, route }, {}, done);
  });
}
