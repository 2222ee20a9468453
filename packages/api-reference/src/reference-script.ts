import { fastify } from 'fastify';

let loaded: Promise<Buffer> | undefined;

/**
 * The script that renders the page, some megabytes. The package only offers it through its Fastify plugin, so it is
 * requested from a separate instance, once, when the page is first opened.
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
