import type { Tracing } from '@memrelay/process/tracing';
import type { FastifyInstance } from 'fastify';

/**
 * A span for each request, with all that it starts inside it. It continues the trace of a client that sends `traceparent`.
 * Call it right after `createApp`: the span must be part of the request.
 */
export function registerTraces(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { traceparent } = request.headers;
    const route = request.routeOptions.url ?? 'unknown';
    const end = tracing.enter(
      `${request.method} ${route}`,
      {
        kind: 'server',
        parent: typeof traceparent === 'string' ? traceparent : undefined,
        attributes: { 'http.request.method': request.method, 'http.route': route, request_id: request.id },
      },
      done,
    );
    reply.raw.once('close', () =>
      end?.({
        failed: reply.statusCode >= 500,
        attributes: { 'http.response.status_code': reply.statusCode },
      }),
    );
  });
}
