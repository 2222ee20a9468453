import type { FastifyInstance } from 'fastify';
import type { RelayerContext } from '../../context.ts';
import { bundleRoutes } from './bundle-routes.ts';
import { accountRoute } from './info-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { listRoutes } from './list-routes.ts';
import { llmRoutes } from './llm-routes.ts';
import { memoryRoutes } from './memory-routes.ts';
import { reindexRoute } from './reindex-route.ts';
import { restoreRoute } from './restore-route.ts';

/** Every route that needs a signature; `app` has the auth hook. */
export function signedRoutes(app: FastifyInstance, context: RelayerContext): void {
  accountRoute(app);
  memoryRoutes(app, context);
  llmRoutes(app, context);
  listRoutes(app, context);
  keyRoutes(app, context);
  bundleRoutes(app, context);
  reindexRoute(app, context);
  restoreRoute(app, context);
}
