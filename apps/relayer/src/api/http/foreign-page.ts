import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '@memrelay/protocol/loopback-host';

/**
 * Whether a request comes from a web page that may not call the relayer: neither listed in ALLOWED_ORIGINS nor served
 * by this address on this machine. Requests that are not made by a page have no `Origin`.
 */
export function isForeignPage(
  { headers: { host, origin } }: IncomingMessage,
  allowedOrigins: readonly string[],
): boolean {
  if (origin === undefined || allowedOrigins.includes(origin)) return false;
  const page = URL.parse(origin);
  return page === null || !isLoopbackHost(page.hostname) || page.host !== URL.parse(`http://${host}`)?.host;
}
