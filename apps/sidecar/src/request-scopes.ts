import { runInRequest } from '@memrelay/process/request-scope';
import type { Tracing } from '@memrelay/process/tracing';
import { headers, requestIdPattern } from '@memrelay/protocol/headers';
import type { FastifyInstance } from 'fastify';

/** Continues the request id and the trace of the relayer: in every log line, and in a span for each request. */
export function registerScopes(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, reply, done) => {
    const given = request.headers[headers.requestId];
    if (typeof given !== 'string' || !requestIdPattern.test(given)) return done();
    reply.raw.once('close', runInRequest(given, done));
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { traceparent } = request.headers;
    // Health checks and background work have none
    if (typeof traceparent !== 'string') return done();
    const route = request.routeOptions.url ?? 'unknown';
    const end = tracing.enter(`${request.method} ${route}`, { kind: 'server', parent: traceparent }, done);
    reply.raw.once('close', () =>
      end?.({
        failed: reply.statusCode >= 500,
        attributes: { 'http.response.status_code': reply.statusCode },
      }),
    );
  });
}
