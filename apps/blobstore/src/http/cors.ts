import type { FastifyInstance } from 'fastify';

/** Any page may use the store; errors carry these as well, so that a page can read them. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Content-Range, X-Quilt-Patch-Identifier',
};

const preflightHeaders = {
  'access-control-allow-methods': '*',
  'access-control-allow-headers': '*',
  'access-control-max-age': 86_400,
};

/** Answers every preflight, also for unknown paths, and marks every other response. */
export function addCors(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(corsHeaders);
    if (request.method === 'OPTIONS') return reply.code(200).headers(preflightHeaders).send();
  });
}
