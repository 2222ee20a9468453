import { pagePolicy, referencePage } from '@memrelay/api-reference/reference-page';
import { loadReferenceScript } from '@memrelay/api-reference/reference-script';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from './document.ts';

/** `GET /v1/api`: the description of all routes for people, and for programs `/v1/api/openapi.json`. */
export function addApiReference(app: FastifyInstance): void {
  const json = Buffer.from(JSON.stringify(openApiDocument));
  const page = referencePage({
    title: 'Blob store',
    documentUrl: 'api/openapi.json',
    scriptUrl: 'api/reference.js',
  });

  app.route({
    method: ['GET', 'HEAD'],
    url: '/v1/api',
    handler: (_request, reply) =>
      reply
        .headers({
          'cache-control': 'no-cache',
          'content-security-policy': pagePolicy,
          'x-content-type-options': 'nosniff',
        })
        .type('text/html; charset=utf-8')
        .send(page),
  });

  app.route({
    method: ['GET', 'HEAD'],
    url: '/v1/api/openapi.json',
    handler: (_request, reply) =>
      reply.header('cache-control', 'no-cache').type('application/json').send(json),
  });

  app.route({
    method: ['GET', 'HEAD'],
    url: '/v1/api/reference.js',
    handler: async (_request, reply) =>
      reply
        .header('cache-control', 'public, max-age=3600')
        .type('text/javascript; charset=utf-8')
        .send(await loadReferenceScript()),
  });
}
