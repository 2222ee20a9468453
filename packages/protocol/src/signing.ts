import { addressPattern } from './address.ts';
import { anyCaseHex32Pattern } from './bytes.ts';

/**
 * Signed requests (spec, "Authentication"): the signed text and the exact form of each header. Runs in Node and browsers;
 * the caller hashes and signs.
 */

export interface SignedParts {
  /** Unix time in seconds, as sent in `x-timestamp` */
  timestamp: string;
  method: string;
  /** Path and query exactly as sent */
  pathAndQuery: string;
  /** Lower-case hex SHA-256 of the raw body; of the empty string when there is none */
  bodySha256: string;
  nonce: string;
  /** `x-account-id` verbatim; empty when the header is absent */
  accountId: string;
}

/** The text whose UTF-8 bytes are signed with the delegate key. */
export function signedMessage(parts: SignedParts): string {
  return [
    parts.timestamp,
    parts.method,
    parts.pathAndQuery,
    parts.bodySha256,
    parts.nonce,
    parts.accountId,
  ].join('.');
}

/** Both ends inclusive (decisions.md, "Authentication"). */
export const timestampWindowSeconds = 300;

/** How long a nonce is remembered per public key: twice the timestamp window plus one minute. */
export const nonceTtlSeconds = 660;

export const authHeaderPatterns = {
  publicKey: anyCaseHex32Pattern,
  signature: /^[0-9a-fA-F]{128}$/,
  timestamp: /^[0-9]{1,12}$/,
  nonce: /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$/,
  accountId: addressPattern,
} as const;
