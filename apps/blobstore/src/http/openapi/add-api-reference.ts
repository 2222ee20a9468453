import type { FastifyInstance, FastifyReply } from 'fastify';
import { openApiDocument } from './document.ts';
import { pagePolicy, referencePage } from './reference-page.ts';
import { loadReferenceScript } from './reference-script.ts';

const oneHour = 'public, max-age=3600';

/** `GET /v1/api`: the description of all routes for people, and for programs `/v1/api/openapi.json`. */
export function addApiReference(app: FastifyInstance): void {
  const json = Buffer.from(JSON.stringify(openApiDocument));

  function get(url: string, answer: (reply: FastifyReply) => Promise<FastifyReply>): void {
    app.route({ method: ['GET', 'HEAD'], url, handler: (_request, reply) => answer(reply) });
  }

  get('/v1/api', async (reply) =>
    reply
      .headers({
        'cache-control': 'no-cache',
        'content-security-policy': pagePolicy,
        'x-content-type-options': 'nosniff',
      })
      .type('text/html; charset=utf-8')
      .send(referencePage),
  );
  get('/v1/api/openapi.json', async (reply) =>
    reply.header('cache-control', 'no-cache').type('application/json').send(json),
  );
  get('/v1/api/reference.js', async (reply) =>
    reply
      .header('cache-control', oneHour)
      .type('text/javascript; charset=utf-8')
      .send(await loadReferenceScript()),
  );
}
