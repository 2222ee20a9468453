import type { IncomingMessage } from 'node:http';
import { ApiError } from '@memrelay/protocol/errors';
import { limits } from '@memrelay/protocol/limits';
import {
  type SponsorExecuteResponse,
  type SponsorResponse,
  sponsorExecuteRequest,
  sponsorRequest,
} from '@memrelay/protocol/sponsor';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { addressBlock, clientAddress } from '../auth/client-address.ts';
import { checkContentLength, parseJsonBody, readBody } from '../auth/request-body.ts';
import { isForeignPage } from '../http/foreign-page.ts';
import { bodyLimitOf, route } from '../http/route.ts';
import { validate } from '../http/validate.ts';
import type { RateLimit, RateLimits } from '../limits/rate-limits.ts';

export interface SponsorLimits {
  /** Requests per minute and hour, for each client address and for each sender; Infinity = no limit */
  perMinute: number;
  perHour: number;
}

export interface SponsorRouteOptions {
  sidecar: SidecarClient;
  rateLimits: RateLimits;
  limits: SponsorLimits;
  trustedProxyHops: number;
  /** Origins whose pages may call these routes */
  allowedOrigins: readonly string[];
}

const bodyDeadlineMs = 10_000;

/**
 * `POST /sponsor` and `POST /sponsor/execute`: unsigned, because they serve people without an account, and
 * therefore limited per address and per sender. Both are passed to the sidecar.
 */
export function sponsorRoutes(app: FastifyInstance, options: SponsorRouteOptions): void {
  const { sidecar, trustedProxyHops } = options;
  const address = counters(options, 'sponsor-address');
  const senders = counters(options, 'sponsor-sender');
  const takeAll = async (counts: readonly RateLimit[], key: string): Promise<void> => {
    for (const count of counts) await count.take(key);
  };

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', async (request: FastifyRequest) =>
      parseJsonBody(await readBody(request.raw, { bytes: bodyLimitOf(request), deadlineMs: bodyDeadlineMs })),
    );
    scope.addHook('onRequest', async (request) => {
      // Pages of other origins can send other types without a preflight
      requireJson(request.raw);
      if (isForeignPage(request.raw, options.allowedOrigins)) throw new ApiError('foreign_origin');
      await takeAll(address, addressBlock(clientAddress(request.raw, trustedProxyHops)));
      checkContentLength(request.raw, bodyLimitOf(request));
    });
    scope.post(
      '/sponsor',
      route({ auth: 'none', bodyBytes: limits.sponsorBodyBytes }),
      async (request): Promise<SponsorResponse> => {
        const body = validate(sponsorRequest, request.body);
        await takeAll(senders, body.sender);
        return sidecar.sponsor(body);
      },
    );
    scope.post(
      '/sponsor/execute',
      route({ auth: 'none', bodyBytes: limits.sponsorExecuteBodyBytes }),
      async (request): Promise<SponsorExecuteResponse> => {
        const body = validate(sponsorExecuteRequest, request.body);
        if (body.sender) await takeAll(senders, body.sender);
        return sidecar.executeSponsored(body);
      },
    );
  });
}

function counters({ rateLimits, limits: allowed }: SponsorRouteOptions, name: string): RateLimit[] {
  const windows = [
    ['minute', allowed.perMinute, 60],
    ['hour', allowed.perHour, 3_600],
  ] as const;
  return windows.flatMap(([window, points, seconds]) =>
    points === Number.POSITIVE_INFINITY ? [] : [rateLimits.limit(`${name}-${window}`, points, seconds)],
  );
}

/** Throws `unsupported_media_type` unless the body is declared as JSON. */
function requireJson({ headers }: IncomingMessage): void {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new ApiError('unsupported_media_type');
}
