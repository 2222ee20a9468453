import { ApiError } from '@memrelay/protocol/errors';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../base/metrics/metrics.ts';
import { delegateKeySurface } from '../http/deprecations.ts';

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);
const limitNames: ReadonlySet<unknown> = new Set(['key', 'owner', 'owner-hour']);

/**
 * Records every response. The route is its pattern, and `unknown` for a path without one; the status is its class, such as
 * `2xx`; methods that no route has are `other`.
 */
export function registerHttpMetrics(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', async (request, reply) => {
    const seconds = reply.elapsedTime / 1000;
    const labels = {
      route: request.routeOptions.url ?? 'unknown',
      method: methods.has(request.method) ? request.method : 'other',
      status: `${Math.floor(reply.statusCode / 100)}xx`,
    };
    metrics.observe('memrelay_http_request_duration_seconds', labels, seconds);
    if (reply.hasHeader('deprecation'))
      metrics.count('memrelay_deprecated_uses_total', { surface: delegateKeySurface });
    if (reply.statusCode >= 400) return;
    for (const [stage, ms] of request.stages?.entries() ?? [])
      if (stage !== 'total') metrics.observe('memrelay_http_stage_duration_seconds', { stage }, ms / 1000);
  });
  app.addHook('onError', async (_request, _reply, error: Error) => {
    const code = error instanceof ApiError ? error.code : 'internal_error';
    metrics.count('memrelay_http_errors_total', { code });
    const limit = error instanceof ApiError ? refusedBy(error) : undefined;
    if (limit !== undefined) metrics.count('memrelay_limit_refusals_total', { limit });
  });
}

/** The limit that refused a request; `address` covers all limits before authentication. */
function refusedBy({ code, details }: ApiError): string | undefined {
  if (code === 'storage_limit_reached') return 'storage';
  if (code !== 'rate_limited') return undefined;
  return limitNames.has(details?.limit) ? String(details?.limit) : 'address';
}
