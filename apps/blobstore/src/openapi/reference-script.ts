import { fastify } from 'fastify';

let loaded: Promise<Buffer> | undefined;

/**
 * The script that renders the page, some megabytes. The package keeps it to its plugin for Fastify, so it is asked
 * for in an instance of its own, once and not before somebody looks at the page.
 */
export function loadReferenceScript(): Promise<Buffer> {
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
