import { limits } from '@memrelay/protocol/limits';
import type { FastifyRequest } from 'fastify';
import type { Caller, Permission } from '../../accounts/caller.ts';
import { namespacesWith } from '../../accounts/require-permission.ts';

interface AnyRoute {
  /** Longest body in bytes; `limits.bodyBytes` when omitted */
  bodyBytes?: number;
}

/** A route for clients without a delegate key, or whose bearer token the sidecar checks. It has separate limits. */
export interface OpenRoute extends AnyRoute {
  auth: 'none' | 'bearer';
}

export interface SignedRoute extends AnyRoute {
  auth: 'signature';
  /** Permissions that the delegate key must have in at least one namespace; the use case checks which namespaces */
  scope: readonly Permission[];
  /** The use case looks up the resource in the path before it checks the scope: 404 comes before 403 */
  lookupFirst?: true;
  /** Weight of a request in the limits of its key and owner (decisions.md, `RATE_LIMIT_PER_MINUTE`); polling is 0 */
  cost: number;
  /** Added to `cost` for each fact that the request stores */
  costPerFact?: number;
  /** The route may take long and has a separate bound in `RequestBounds`: it does not count as a short request */
  ownBound?: true;
  /** Refused at once, before the body is read, while earlier requests of the same key have waited too long */
  sheds?: true;
}

export type RouteDeclaration = OpenRoute | SignedRoute;

declare module 'fastify' {
  interface FastifyContextConfig {
    declaration?: RouteDeclaration;
  }
}

/** Options of a route with its declaration: `app.post(path, route({ … }), handler)`. */
export function route(declaration: RouteDeclaration) {
  return { bodyLimit: declaration.bodyBytes ?? limits.bodyBytes, config: { declaration } };
}

/** Longest body in bytes that the route of this request accepts. */
export function bodyLimitOf(request: FastifyRequest): number {
  return request.routeOptions.bodyLimit ?? limits.bodyBytes;
}

/** The declaration of a signed route; undefined for other routes. */
export function signedRouteOf(request: FastifyRequest): SignedRoute | undefined {
  const { declaration } = request.routeOptions.config;
  return declaration?.auth === 'signature' ? declaration : undefined;
}

/** Throws `insufficient_scope` for a key that lacks a permission of the route in every namespace. */
export function requireScope(caller: Caller, declaration: SignedRoute | undefined): void {
  if (!declaration || declaration.lookupFirst) return;
  for (const permission of declaration.scope) namespacesWith(caller, permission);
}
