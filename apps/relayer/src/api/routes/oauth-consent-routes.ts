import { addressPattern } from '@memrelay/protocol/address';
import { ApiError } from '@memrelay/protocol/errors';
import { oauthPaths } from '@memrelay/protocol/oauth';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { route } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import { createConsent } from '../oauth/consent.ts';
import type { OAuthContext } from '../oauth/oauth-context.ts';

export interface ConsentRouteOptions {
  context: OAuthContext;
  /** Counts a request. Throws `rate_limited` */
  limit: (request: FastifyRequest) => Promise<void>;
  /** Longest body in bytes */
  bodyBytes: number;
  /** The body of a request. Throws `invalid_request` */
  jsonOf: (request: FastifyRequest) => unknown;
}

const accountId = z.string().regex(addressPattern).toLowerCase();
const request = z.string().max(8_192);
const asked = z.object({ request });
const keyBody = z.object({
  request,
  account_id: accountId.optional(),
  scope: z.object({
    perms: z.int().min(1).max(7),
    allNamespaces: z.boolean(),
    tags: z.array(z.string().regex(/^[0-9a-f]{32}$/)).max(16),
    expiresAtMs: z.string().regex(/^[1-9][0-9]{0,15}$/),
  }),
});
const finishBody = z.object({ request, ticket: z.string().max(200), account_id: accountId });

/** Routes for the consent page; only the dashboard's origin may call them. The owner's consent is proven on chain. */
export function consentRoutes(app: FastifyInstance, options: ConsentRouteOptions): void {
  const { context, limit, jsonOf, bodyBytes } = options;
  const consent = createConsent(context);
  // Other origins in ALLOWED_ORIGINS must not take part in a grant
  const dashboardOrigin = new URL(context.config.dashboardUrl).origin;
  const onRequest = [
    async ({ headers: { origin } }: FastifyRequest): Promise<void> => {
      if (origin !== dashboardOrigin) throw new ApiError('foreign_origin');
    },
    limit,
  ];
  const page = { ...route({ auth: 'none', bodyBytes }), onRequest };
  app.post(oauthPaths.consent, page, async (received) =>
    consent.describe(validate(asked, jsonOf(received)).request),
  );
  app.post(oauthPaths.consentKey, page, async (received) => {
    const body = validate(keyBody, jsonOf(received));
    return consent.makeKey(body.request, body.account_id, body.scope);
  });
  app.post(oauthPaths.consentFinish, page, async (received) => {
    const body = validate(finishBody, jsonOf(received));
    return consent.finish(body.request, body.ticket, body.account_id);
  });
  app.post(oauthPaths.consentDecline, page, async (received) =>
    consent.decline(validate(asked, jsonOf(received)).request),
  );
}
