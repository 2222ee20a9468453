import type { FastifyReply } from 'fastify';

/**
 * Selects the attributes of a blob object that are returned as response headers. The owner of the object writes
 * them, so only allowed names are returned, and headers of the response itself are never overwritten.
 */

/** Lower case. `ALL` is for quilt tags under `--allow-quilt-patch-tags-in-response`. */
export type AllowedHeaders = ReadonlySet<string> | 'ALL';

/** The specification's six; release 1.56 also has `authorization`, which no response needs. */
export const defaultAllowedHeaders: ReadonlySet<string> = new Set([
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-location',
  'content-type',
  'link',
]);

/** Headers that frame the message or the connection. A value from an attribute would break the response. */
const framing = new Set([
  'connection',
  'content-length',
  'content-range',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const namePattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Visible ASCII, space and tab, like the real aggregator */
const valuePattern = /^[\t\x20-\x7e]*$/;

/** The names in a comma-separated list, in lower case; undefined if one of them cannot be allowed. */
export function parseAllowedHeaders(list: string): Set<string> | undefined {
  const names = list.split(',').flatMap((name) => name.trim().toLowerCase() || []);
  return names.every((name) => namePattern.test(name) && !framing.has(name)) ? new Set(names) : undefined;
}

/**
 * Adds the allowed attributes to a response that already has its own headers. Values that cannot be headers are left
 * out.
 */
export function addAttributeHeaders(
  reply: FastifyReply,
  attributes: Readonly<Record<string, string>>,
  allowed: AllowedHeaders,
): void {
  for (const [key, value] of Object.entries(attributes)) {
    const name = key.toLowerCase();
    if (allowed !== 'ALL' && !allowed.has(name)) continue;
    if (!namePattern.test(name) || !valuePattern.test(value) || framing.has(name)) continue;
    if (!reply.hasHeader(name)) reply.header(name, value);
  }
}
