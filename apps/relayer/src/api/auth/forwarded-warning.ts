import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/**
 * Warns once if requests seem to come through a proxy that TRUSTED_PROXY_HOPS does not count. All its clients then
 * appear to have one address and share its limits. Register this before the routes.
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
