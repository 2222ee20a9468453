import type { AddressInfo } from 'node:net';
import { registerAuth } from '../api/auth/register-auth.ts';
import { refuseOverdue, registerRequestBounds } from '../api/limits/request-bounds.ts';
import { signedRoutes } from '../api/routes/signed-routes.ts';
import { registerStageTimes } from '../base/logging/stage-times.ts';
import type { CloseStack } from './close-stack.ts';
import { openRoutes } from './open-routes.ts';
import { type ServeOptions, serveMetrics } from './serve-metrics.ts';

/** How long open requests may take when the relayer stops; the whole shutdown has 20 s (serve-part.ts). */
const requestsEndMs = 8_000;

/** Registers all routes and listens. Returns the URL at which processes on this machine reach the relayer. */
export async function serve(opened: CloseStack, options: ServeOptions): Promise<string> {
  const { app, context, config, listener } = options;
  await serveMetrics(opened, options);
  opened.add(await openRoutes(app, context, config));
  await app.register(async (signed) => {
    registerAuth(signed, {
      accounts: context.accounts,
      nonces: context.nonces,
      fallbackAccountId: config.accountId,
      trustedProxyHops: config.trustedProxyHops,
      log: context.loggers.auth,
      refuseEarly: refuseOverdue(context.requestBounds),
      limitKey(caller, request, reply) {
        context.keyUses.record(caller);
        return context.requestLimits.take(caller, request, reply);
      },
    });
    registerStageTimes(signed, context.tracing);
    registerRequestBounds(signed, context.requestBounds);
    signedRoutes(signed, context);
  });
  await app.listen({ port: config.port, host: config.listenHost });
  opened.push(async () => {
    // A request or stream that does not end must not use up the time that the parts closed later need
    const forced = setTimeout(() => app.server.closeAllConnections(), requestsEndMs);
    await Promise.all([app.close(), context.pipeline.drain()]);
    clearTimeout(forced);
  });
  return listener.urlAt((app.server.address() as AddressInfo).port);
}
