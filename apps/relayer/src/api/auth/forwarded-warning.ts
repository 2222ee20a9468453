import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/**
 * Warns once when a proxy seems to be in front that TRUSTED_PROXY_HOPS does not count: then all its clients have one
 * address here, and share the limits of it. Register it before the routes.
 */
export function warnOfForwarded(app: FastifyInstance, trustedProxyHops: number, log: Logger): void {
  if (trustedProxyHops > 0) return;
  let warned = false;
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    if (warned) return;
    const header = (['x-forwarded-for', 'forwarded'] as const).find((name) => headers[name] !== undefined);
    if (header === undefined) return;
    warned = true;
    log.warn(
      { header },
      'a request came through a proxy, but TRUSTED_PROXY_HOPS is 0: all clients behind it share the limits of one address. Set TRUSTED_PROXY_HOPS to the number of proxies that write x-forwarded-for; ignore this if a client sent the header itself.',
    );
  });
}
