import { ApiError } from '@memrelay/protocol/errors';
import type { HostRules } from '@memrelay/protocol/host-rules';
import type { FastifyRequest } from 'fastify';

/** Asked by probes of container platforms, which call them by an address that changes. */
const probes: ReadonlySet<string | undefined> = new Set(['/live', '/ready']);

/** Throws `host_not_allowed` for a name that is not this server's, `invalid_request` without `Host` or with several. */
export function checkHost(request: FastifyRequest, hosts: HostRules): void {
  const verdict = hosts.check(request.raw);
  if (verdict === 'allowed') return;
  if (verdict === 'refused') {
    if (!hosts.isLoopback && probes.has(request.routeOptions.url)) return;
    throw new ApiError('host_not_allowed');
  }
  throw new ApiError('invalid_request', { message: 'A request needs exactly one Host header.' });
}
