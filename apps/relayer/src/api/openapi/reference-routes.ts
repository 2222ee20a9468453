import { readFile } from 'node:fs/promises';
import { pagePolicy, referencePage } from '@memrelay/api-reference/reference-page';
import type { FastifyInstance } from 'fastify';
import { route } from '../http/route.ts';

const documentFile = new URL('./openapi.json', import.meta.url);
/** An hour: a new version of the server may change them */
const cacheControl = 'public, max-age=3600';

/** `GET /openapi.json`, and `GET /reference`: the same as a page that works without a network. */
export function referenceRoutes(app: FastifyInstance): void {
  const open = route({ auth: 'none' });
  let document: Promise<Buffer> | undefined;
  app.get('/openapi.json', open, async (_request, reply) => {
    document ??= readFile(documentFile);
    return reply
      .header('cache-control', cacheControl)
      .type('application/json')
      .send(await document);
  });
  const page = referencePage({
    title: 'memrelay API',
    documentUrl: 'openapi.json',
    scriptUrl: 'reference/script.js',
  });
  app.get('/reference', open, async (_request, reply) =>
    reply
      .headers({
        'cache-control': 'no-cache',
        'content-security-policy': pagePolicy,
        'x-content-type-options': 'nosniff',
      })
      .type('text/html; charset=utf-8')
      .send(page),
  );
  app.get('/reference/script.js', open, async (_request, reply) => {
    // Some megabytes, which most servers never need
    const { loadReferenceScript } = await import('@memrelay/api-reference/reference-script');
    return reply
      .header('cache-control', cacheControl)
      .type('text/javascript; charset=utf-8')
      .send(await loadReferenceScript());
  });
}
