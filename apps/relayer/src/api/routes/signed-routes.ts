import type { FastifyInstance } from 'fastify';
import { type AuditRouteParts, auditRoutes } from './audit-routes.ts';
import { type BundleRouteParts, bundleRoutes } from './bundle-routes.ts';
import { accountRoute } from './info-routes.ts';
import { type JobRouteParts, jobRoutes } from './job-routes.ts';
import { type ListRouteParts, listRoutes } from './list-routes.ts';
import { type LlmRouteParts, llmRoutes } from './llm-routes.ts';
import { type MemoryRouteParts, memoryRoutes } from './memory-routes.ts';
import { type ProfileRouteParts, profileRoutes } from './profile-routes.ts';
import { type SingleMemoryRouteParts, singleMemoryRoutes } from './single-memory-routes.ts';
import { type UpkeepRouteParts, upkeepRoutes } from './upkeep-routes.ts';
import { type WebhookRouteParts, webhookRoutes } from './webhook-routes.ts';

export type SignedRouteParts = MemoryRouteParts &
  SingleMemoryRouteParts &
  ProfileRouteParts &
  JobRouteParts &
  LlmRouteParts &
  BundleRouteParts &
  UpkeepRouteParts &
  AuditRouteParts &
  WebhookRouteParts &
  ListRouteParts;

/** Every route that needs a signature; `app` has the auth hook. */
export function signedRoutes(app: FastifyInstance, parts: SignedRouteParts): void {
  accountRoute(app);
  memoryRoutes(app, parts);
  singleMemoryRoutes(app, parts);
  profileRoutes(app, parts);
  jobRoutes(app, parts);
  llmRoutes(app, parts);
  listRoutes(app, parts);
  bundleRoutes(app, parts);
  upkeepRoutes(app, parts);
  auditRoutes(app, parts);
  webhookRoutes(app, parts);
}
