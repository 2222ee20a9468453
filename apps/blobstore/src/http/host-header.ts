import type { FastifyInstance } from 'fastify';
import { malformedRequest } from '../base/api-error.ts';
import { corsHeaders } from './cors.ts';

/**
 * Refuses a request of HTTP/1.1 that names no host, and any that names two (RFC 9112, 3.2): a proxy in front may
 * have read the other one. Node could refuse the first kind by itself, but without the error envelope.
 */
export function addHostCheck(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }, reply) => {
    const hosts = raw.headersDistinct.host?.length ?? 0;
    const needed = raw.httpVersion === '1.1' ? 1 : 0;
    if (hosts >= needed && hosts <= 1) return;
    reply.headers(corsHeaders);
    throw malformedRequest(`the request has ${hosts === 0 ? 'no Host header' : 'more than one Host header'}`);
  });
}
