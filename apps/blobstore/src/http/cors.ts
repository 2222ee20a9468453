import { pageAccess } from '@memrelay/protocol/page-access';
import type { FastifyInstance } from 'fastify';
import { originNotAllowed } from '../base/api-error.ts';

/** Any page may read. Errors have these headers too, so that a page can read them. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Content-Range, X-Quilt-Patch-Identifier',
};

const preflightHeaders = {
  'access-control-allow-methods': '*',
  'access-control-allow-headers': '*',
  'access-control-max-age': 86_400,
};

/**
 * Answers every preflight, even for unknown paths, and adds CORS headers to every other response. Only pages from
 * `allowedOrigins` may do more than read; without a list any page may, as with the real daemons.
 */
export function addCors(app: FastifyInstance, allowedOrigins: readonly string[] | undefined): void {
  app.addHook('onRequest', async (request, reply) => {
    const { refused, allowOrigin } = pageAccess(request, allowedOrigins);
    if (allowedOrigins !== undefined) reply.header('vary', 'Origin');
    if (refused) throw originNotAllowed();
    if (allowOrigin !== undefined)
      reply.headers({ ...corsHeaders, 'access-control-allow-origin': allowOrigin });
    if (request.method === 'OPTIONS') return reply.code(200).headers(preflightHeaders).send();
  });
}
