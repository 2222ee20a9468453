import { maxRedirectOrigin } from '@memrelay/protocol/oauth';

/** Redirect URIs of OAuth clients. They are compared as texts, without normalisation. */

const maxLength = 512;
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?([/?].*)?$/;
/**
 * Characters allowed in a URI (RFC 3986), except `#` (no fragment). Excludes the backslash, which browsers read as a
 * slash.
 */
const uriCharacters = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;

/** Accepts https, and http to loopback. Rejects fragments, user names and anything that parsers read differently. */
export function isRedirectUri(text: string): boolean {
  if (text.length > maxLength || !uriCharacters.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password, origin } = new URL(text);
  if (username !== '' || password !== '' || origin.length > maxRedirectOrigin) return false;
  return loopback.test(text) || (protocol === 'https:' && /^https:\/\/[^/?@]+([/?]|$)/.test(text));
}

/**
 * Whether the requested redirect URI is one that the client registered. The texts must be equal, except that the port
 * of a loopback address may differ: a native client takes a free port at each start (RFC 8252, 7.3).
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

/** Adds query parameters to the address. */
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
