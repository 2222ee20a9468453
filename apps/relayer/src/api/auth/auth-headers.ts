import type { IncomingMessage } from 'node:http';
import { ApiError } from '@memrelay/protocol/errors';
import { headerAliases, headers } from '@memrelay/protocol/headers';
import { authHeaderPatterns, timestampWindowSeconds } from '@memrelay/protocol/signing';

/** The authentication headers of a request, exactly as sent. */
export interface AuthHeaders {
  publicKey: string;
  signature: string;
  timestamp: string;
  nonce: string;
  /** Undefined when the header is absent */
  accountId: string | undefined;
  encSession: string | undefined;
  delegateKey: string | undefined;
}

const required = ['publicKey', 'signature', 'timestamp', 'nonce'] as const;
const single: ReadonlySet<string> = new Set([
  headers.publicKey,
  headers.signature,
  headers.timestamp,
  headers.nonce,
  headers.accountId,
  headers.encSession,
  headers.delegateKey,
]);

/**
 * Reads the headers and checks their form. Throws `missing_auth_header`, `invalid_auth_header` (malformed, or sent
 * twice) and, for a content encoding, `unsupported_media_type` (security.md, "Requests and sessions").
 */
export function readAuthHeaders(request: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): AuthHeaders {
  const value = (name: keyof AuthHeaders): string | undefined =>
    headerValue(request, headers[name])?.toString();
  for (const name of required)
    if (value(name) === undefined)
      throw new ApiError('missing_auth_header', { details: { header: headers[name] } });
  refuseRepeated(request.rawHeaders, single);
  const present: AuthHeaders = {
    publicKey: matching('publicKey', value('publicKey')!),
    signature: matching('signature', value('signature')!),
    timestamp: matching('timestamp', value('timestamp')!),
    nonce: matching('nonce', value('nonce')!),
    accountId: undefined,
    encSession: value('encSession'),
    delegateKey: value('delegateKey'),
  };
  const accountId = value('accountId');
  if (accountId !== undefined) present.accountId = matching('accountId', accountId);
  refuseEncoded(request);
  return present;
}

/** Throws `unsupported_media_type` if the body is declared as compressed. */
export function refuseEncoded({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new ApiError('unsupported_media_type');
}

const aliasOf = new Map(Object.entries(headerAliases).map(([alias, name]) => [name, alias]));

/** The value of a header, sent under its name or its alias. */
export function headerValue(
  { headers }: Pick<IncomingMessage, 'headers'>,
  name: string,
): string | string[] | undefined {
  const alias = aliasOf.get(name);
  return headers[name] ?? (alias === undefined ? undefined : headers[alias]);
}

/**
 * Throws `invalid_auth_header` when one of the `single` headers was sent twice; an alias counts as the header it stands
 * for. Node joins or drops repeated headers, so only the raw list shows them.
 */
export function refuseRepeated(rawHeaders: readonly string[], single: ReadonlySet<string>): void {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i]!.toLowerCase();
    const name = headerAliases[sent] ?? sent;
    if (!single.has(name)) continue;
    if (seen.has(name)) throw new ApiError('invalid_auth_header', { details: { header: name } });
    seen.add(name);
  }
}

function matching(name: keyof typeof authHeaderPatterns, value: string): string {
  if (!authHeaderPatterns[name].test(value))
    throw new ApiError('invalid_auth_header', { details: { header: headers[name] } });
  return value;
}

/** Throws `timestamp_out_of_window` when the request was signed more than 300 s before or after now. */
export function checkTimestamp(timestamp: string, nowMs: number): void {
  const difference = Math.floor(nowMs / 1000) - Number(timestamp);
  if (Math.abs(difference) > timestampWindowSeconds) throw new ApiError('timestamp_out_of_window');
}
