import Fastify, { type FastifyInstance } from 'fastify';
import type { RouteDeclaration } from '../../src/api/http/route.ts';
import { referenceRoutes } from '../../src/api/openapi/reference-routes.ts';
import { infoRoutes } from '../../src/api/routes/info-routes.ts';
import { oauthRoutes } from '../../src/api/routes/oauth-routes.ts';
import { signedRoutes } from '../../src/api/routes/signed-routes.ts';
import { sponsorRoutes } from '../../src/api/routes/sponsor-routes.ts';
import { toolRoutes } from '../../src/api/routes/tool-routes.ts';

export interface RegisteredRoute {
  method: string;
  path: string;
  declaration: RouteDeclaration;
  /** Longest body in bytes */
  bodyLimit: number;
}

/** Any value, called or read to any depth: registering a route uses none of its parts. */
const anything: never = new Proxy(() => anything, {
  get: (_target, name) =>
    name === 'then' ? undefined : name === Symbol.toPrimitive ? () => 'http://relayer.test' : anything,
}) as never;

/** Every route of the relayer with its declaration, by registering all of them without a database or a chain. */
export async function registeredRoutes(): Promise<RegisteredRoute[]> {
  const app: FastifyInstance = Fastify();
  const routes: RegisteredRoute[] = [];
  app.addHook('onRoute', ({ method, url, bodyLimit = 0, config }) => {
    for (const each of [method].flat())
      if (each !== 'HEAD')
        routes.push({ method: each, path: url, declaration: config!.declaration!, bodyLimit });
  });
  const origin = 'http://relayer.test';
  const open = { rateLimits: anything, trustedProxyHops: 0, allowedOrigins: [], log: anything };
  infoRoutes(app, anything);
  referenceRoutes(app);
  await app.register(async (scope) => signedRoutes(scope, anything));
  sponsorRoutes(app, { ...open, sidecar: anything, limits: { perMinute: 1, perHour: 1 } });
  await app.register(oauthRoutes, {
    ...open,
    context: { config: { issuer: origin, dashboardUrl: origin } } as never,
  });
  await app.register(toolRoutes, { ...open, relay: anything });
  await app.ready();
  return routes;
}
