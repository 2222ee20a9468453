import { maxRedirectOrigin } from '@memrelay/protocol/oauth';

/** Addresses that an authorization may be sent back to. Compared as texts: nothing is normalised before. */

const maxLength = 512;
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?([/?].*)?$/;
/** What a URI is written with (RFC 3986); no fragment, and no backslash, which browsers take for a slash. */
const uriCharacters = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;

/** https, or http to this very machine; no fragment, no user, nothing that is read in two ways. */
export function isRedirectUri(text: string): boolean {
  if (text.length > maxLength || !uriCharacters.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password, origin } = new URL(text);
  if (username !== '' || password !== '' || origin.length > maxRedirectOrigin) return false;
  return loopback.test(text) || (protocol === 'https:' && /^https:\/\/[^/?@]+([/?]|$)/.test(text));
}

/**
 * Whether an address that a request names is one that its client registered: the same text, where of a loopback address the
 * port may differ, since a native client takes a free one at each start (RFC 8252, 7.3).
 */
export function isRegistered(asked: string, registered: readonly string[]): boolean {
  if (!isRedirectUri(asked)) return false;
  return registered.some((uri) => {
    if (uri === asked) return true;
    const portless = withoutPort(uri);
    return portless !== undefined && portless === withoutPort(asked);
  });
}

function withoutPort(uri: string): string | undefined {
  const parts = loopback.exec(uri);
  return parts ? `${parts[1]}${parts[3] ?? ''}` : undefined;
}

/** The address with parameters added to those it has. */
export function withParameters(
  redirectUri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const added = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${added}`;
}
