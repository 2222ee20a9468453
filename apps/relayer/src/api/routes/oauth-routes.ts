import { ApiError } from '@memrelay/protocol/errors';
import { oauthPaths, oauthScopes } from '@memrelay/protocol/oauth';
import { toolPaths } from '@memrelay/protocol/tool-server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { addressBlock, clientAddress } from '../auth/client-address.ts';
import { checkContentLength, parseJsonBody, readBody } from '../auth/request-body.ts';
import { errorBody, reportError } from '../http/error-replies.ts';
import { bodyLimitOf, route } from '../http/route.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { consentAddress } from '../oauth/authorization-request.ts';
import { errorPage, errorPageHeaders } from '../oauth/error-page.ts';
import type { OAuthContext } from '../oauth/oauth-context.ts';
import { createTokenRequests } from '../oauth/token-requests.ts';
import { consentRoutes } from './oauth-consent-routes.ts';

export interface OAuthRouteOptions {
  context: OAuthContext;
  trustedProxyHops: number;
  rateLimits: RateLimits;
  log: Logger;
}

const bodyBytes = 16_384;
const bodyDeadlineMs = 10_000;

/** Requests per minute and client address. */
const perMinute = { register: 20, consent: 60, token: 120 };

/** Address of the document that tells clients where to sign in for the tool server. */
export function metadataUrl(issuer: string): string {
  return `${issuer}${oauthPaths.resourceMetadata}${toolPaths.mcp}`;
}

/**
 * OAuth 2.1 in front of the tool server: metadata (RFC 9728, RFC 8414), registration (RFC 7591), authorization, tokens
 * and revocation (RFC 7009). None of these uses the Host header.
 */
export async function oauthRoutes(app: FastifyInstance, options: OAuthRouteOptions): Promise<void> {
  const { context, trustedProxyHops, rateLimits, log } = options;
  const { issuer } = context.config;
  const tokens = createTokenRequests(context);
  const limited = (name: keyof typeof perMinute) => {
    const count = rateLimits.limit(`oauth-${name}`, perMinute[name], 60);
    return (request: FastifyRequest) =>
      count.take(addressBlock(clientAddress(request.raw, trustedProxyHops)));
  };

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, _payload, done) => {
    checkContentLength(request.raw, bodyLimitOf(request));
    readBody(request.raw, { bytes: bodyLimitOf(request), deadlineMs: bodyDeadlineMs }).then(
      (body) => done(null, body),
      done,
    );
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });
  app.setErrorHandler((error: Error, request, reply) => {
    const known = reportError(log, error, request);
    if (known.retryAfter !== undefined) reply.header('retry-after', String(known.retryAfter));
    // The error fields of OAuth and of this API
    return reply
      .code(known.status)
      .send({ ...errorBody(known, request.id), error_description: known.message });
  });

  const resource = {
    resource: context.resource,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    resource_name: 'memrelay memory tools',
    scopes_supported: Object.keys(oauthScopes),
  };
  const server = {
    issuer,
    authorization_endpoint: `${issuer}${oauthPaths.authorize}`,
    token_endpoint: `${issuer}${oauthPaths.token}`,
    registration_endpoint: `${issuer}${oauthPaths.register}`,
    revocation_endpoint: `${issuer}${oauthPaths.revoke}`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: Object.keys(oauthScopes),
  };
  const resourcePaths = ['', toolPaths.mcp, toolPaths.sse].map(
    (path) => `${oauthPaths.resourceMetadata}${path}`,
  );
  const open = route({ auth: 'none', bodyBytes });
  for (const path of resourcePaths) app.get(path, open, async () => resource);
  app.get(oauthPaths.serverMetadata, open, async () => server);

  app.post(oauthPaths.register, { ...open, onRequest: limited('register') }, async (request, reply) =>
    reply.code(201).send(context.clients.register(jsonOf(request), context.now())),
  );

  app.get(oauthPaths.authorize, { ...open, exposeHeadRoute: false }, async (request, reply) => {
    const query = request.url.split('?').slice(1).join('?');
    try {
      return reply.redirect(consentAddress(context, new URLSearchParams(query)), 303);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return reply
        .code(400)
        .headers(errorPageHeaders)
        .type('text/html; charset=utf-8')
        .send(errorPage(error, request.id));
    }
  });

  app.post(oauthPaths.token, { ...open, onRequest: limited('token') }, async (request) =>
    tokens.issue(formOf(request)),
  );
  app.post(oauthPaths.revoke, { ...open, onRequest: limited('token') }, async (request) => {
    await tokens.revoke(formOf(request));
    return {};
  });
  consentRoutes(app, { context, limit: limited('consent'), bodyBytes, jsonOf });
}

function jsonOf(request: FastifyRequest): unknown {
  requireType(request, 'application/json');
  return parseJsonBody(request.body as Buffer);
}

function formOf(request: FastifyRequest): URLSearchParams {
  requireType(request, 'application/x-www-form-urlencoded');
  return new URLSearchParams((request.body as Buffer).toString('utf8'));
}

/** Web pages of other origins can send other types without a preflight. Throws `invalid_request`. */
function requireType(request: FastifyRequest, type: string): void {
  if (request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== type || !request.body)
    throw new ApiError('invalid_request', { message: `Send ${type}.` });
}
