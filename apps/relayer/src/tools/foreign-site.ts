import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '@memrelay/protocol/loopback-host';

export interface SiteOptions {
  /** ALLOWED_ORIGINS */
  allowedOrigins: readonly string[];
  trustedProxyHops: number;
}

/**
 * Why a tool request may come from a page that has no business here, undefined when it does not: protection against DNS
 * rebinding, as the MCP specification asks for (basic/transports, "Security Warning"). A page must be one of
 * ALLOWED_ORIGINS, or served by this very address. Where no proxy stands in front, this machine is called by a name of its
 * own; behind one, the names are the proxy's to check.
 */
export function foreignSite(request: IncomingMessage, options: SiteOptions): string | undefined {
  const { allowedOrigins, trustedProxyHops } = options;
  const { host, origin } = request.headers;
  const called = host === undefined ? undefined : parse(`http://${host}`);
  if (origin !== undefined && !allowedOrigins.includes(origin)) {
    const page = parse(origin);
    if (page === undefined || page.host !== called?.host || !isLoopbackHost(page.hostname))
      return 'Pages of this origin may not call here; the operator can add it to ALLOWED_ORIGINS.';
  }
  if (trustedProxyHops > 0 || (called && isLoopbackHost(called.hostname))) return undefined;
  if (called && allowedOrigins.some((allowed) => parse(allowed)?.hostname === called.hostname))
    return undefined;
  return 'This server is not called by the name in the Host header; behind a proxy the operator sets TRUSTED_PROXY_HOPS.';
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
