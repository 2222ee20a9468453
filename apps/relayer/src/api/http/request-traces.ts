import { enterRequestSpan } from '@memrelay/process/request-span';
import { noTracing, type Tracing } from '@memrelay/process/tracing';
import type { FastifyInstance } from 'fastify';

/** A span for each request, with all that it starts inside it. Call it right after `createApp`: the span must be part of the request. */
export function registerTraces(app: FastifyInstance, tracing: Tracing): void {
  if (tracing === noTracing) return;
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    const attributes = { 'http.request.method': request.method, 'http.route': route, request_id: request.id };
    enterRequestSpan(tracing, { request: request.raw, response: reply.raw, route }, attributes, done);
  });
}
