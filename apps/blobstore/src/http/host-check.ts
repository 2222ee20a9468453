import type { HostRules } from '@memrelay/protocol/host-rules';
import type { FastifyInstance } from 'fastify';
import { hostNotAllowed, malformedRequest } from '../base/api-error.ts';
import { corsHeaders } from './cors.ts';

/**
 * Judges `Host`. With `hosts`, names that are not allowed are refused. In any case a request of HTTP/1.1 without one
 * is malformed, and so is any request with two (RFC 9112, 3.2): a proxy in front may have read the other one. Node
 * could refuse the first kind by itself, but without the error envelope. An empty `Host` is served.
 */
export function addHostCheck(app: FastifyInstance, hosts: HostRules | undefined): void {
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (hosts?.check(raw) === 'refused') throw hostNotAllowed();
    const count = raw.headersDistinct.host?.length ?? 0;
    const needed = raw.httpVersion === '1.1' ? 1 : 0;
    if (count >= needed && count <= 1) return;
    reply.headers(corsHeaders);
    throw malformedRequest(`the request has ${count === 0 ? 'no Host header' : 'more than one Host header'}`);
  });
}
