import type { FastifyInstance } from 'fastify';
import { createRateLimits } from '../api/limits/rate-limits.ts';
import { createBearerReader } from '../api/oauth/access-tokens.ts';
import { createOAuthContext } from '../api/oauth/oauth-context.ts';
import { referenceRoutes } from '../api/openapi/reference-routes.ts';
import { infoRoutes } from '../api/routes/info-routes.ts';
import { metadataUrl, oauthRoutes } from '../api/routes/oauth-routes.ts';
import { sponsorRoutes } from '../api/routes/sponsor-routes.ts';
import { toolRoutes } from '../api/routes/tool-routes.ts';
import { createToolRelay } from '../api/tools/tool-relay.ts';
import type { Config } from '../config/config.ts';
import type { RelayerContext } from './context.ts';

/** Registers the unsigned routes. Returns what must be closed with the relayer. */
export async function openRoutes(
  app: FastifyInstance,
  context: RelayerContext,
  config: Config,
): Promise<{ close(): Promise<void> }> {
  const { sidecar, loggers } = context;
  const { allowedOrigins, trustedProxyHops } = config;
  const rateLimits = await createRateLimits(config.redisUrl, loggers.http);
  const relay = createToolRelay(config.sidecar.url, config.sidecar.token);
  infoRoutes(app, context);
  referenceRoutes(app);
  sponsorRoutes(app, {
    sidecar,
    rateLimits,
    limits: config.sponsorLimits,
    trustedProxyHops,
    allowedOrigins,
  });
  const oauth =
    config.oauth &&
    createOAuthContext({
      config: config.oauth,
      db: context.db,
      audit: context.audit,
      accounts: context.accounts,
      sidecar,
      key: context.secrets.indexKey,
    });
  if (oauth)
    await app.register(oauthRoutes, {
      context: oauth,
      trustedProxyHops,
      rateLimits,
      log: loggers.auth,
    });
  await app.register(toolRoutes, {
    relay,
    allowedOrigins,
    trustedProxyHops,
    oauth: oauth && {
      readBearer: createBearerReader(oauth),
      metadataUrl: metadataUrl(oauth.config.issuer),
    },
    log: loggers.sidecar,
  });
  return {
    close: async () => {
      await Promise.all([relay.close(), rateLimits.close()]);
    },
  };
}
