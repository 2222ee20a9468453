import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';

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
    if (page === undefined || page.host !== called?.host || !isLoopback(page))
      return 'Pages of this origin may not call here; the operator can add it to ALLOWED_ORIGINS.';
  }
  if (trustedProxyHops > 0 || (called && isLoopback(called))) return undefined;
  if (called && allowedOrigins.some((allowed) => parse(allowed)?.hostname === called.hostname))
    return undefined;
  return 'This server is not called by the name in the Host header; behind a proxy the operator sets TRUSTED_PROXY_HOPS.';
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

function isLoopback({ hostname }: URL): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}
