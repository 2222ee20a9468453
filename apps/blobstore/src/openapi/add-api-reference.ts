import { type FastifyInstance, fastify } from 'fastify';
import { openApiDocument } from './document.ts';
import { pagePolicy, referencePage } from './reference-page.ts';

/** `GET /v1/api`: the description of all routes for people, and for programs `/v1/api/openapi.json`. */
export function addApiReference(app: FastifyInstance): void {
  const json = Buffer.from(JSON.stringify(openApiDocument));

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
        .send(referencePage),
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

let loaded: Promise<Buffer> | undefined;

/**
 * The script that renders the page, some megabytes. The package only offers it through its Fastify plugin, so it is
 * requested from a separate instance, once, when the page is first opened.
 */
function loadReferenceScript(): Promise<Buffer> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Buffer> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  try {
    await app.register(reference, { routePrefix: '/page', configuration: { content: {} } });
    return (await app.inject('/page/js/scalar.js')).rawPayload;
  } finally {
    await app.close();
  }
}
