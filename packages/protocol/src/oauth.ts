/** OAuth definitions for the tool server, shared by relayer, sidecar and consent page (security.md, "Tools, sign-in, pages"). */

export const oauthPaths = {
  /** RFC 9728; the path of a resource may be appended */
  resourceMetadata: '/.well-known/oauth-protected-resource',
  /** RFC 8414 */
  serverMetadata: '/.well-known/oauth-authorization-server',
  register: '/oauth/register',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  /** Routes of the consent page; each takes a POST with JSON */
  consent: '/oauth/consent',
  consentKey: '/oauth/consent/key',
  consentFinish: '/oauth/consent/finish',
  consentDecline: '/oauth/consent/decline',
} as const;

/** The dashboard's page; the fragment carries the request as `#request=…`. */
export const consentPagePath = '/connect/oauth';

/** Maximum lifetime of a grant, in days */
export const maxGrantDays = 90;

/**
 * Maximum length of a redirect origin, in characters. The consent page always shows all of it: truncated,
 * `https://claude.ai.long….evil.example` would look like another host.
 */
export const maxRedirectOrigin = 100;

/** Token scopes, and the permission bit of an account's scope for each. */
export const oauthScopes = { 'memory:read': 1, 'memory:write': 2, 'memory:forget': 4 } as const;

/** The scope of a delegate as stored on chain. */
export interface GrantScope {
  /** Sum of READ 1, WRITE 2, FORGET 4 */
  perms: number;
  allNamespaces: boolean;
  /** Namespace tags, 32 hex digits each */
  tags: string[];
  /** Unix time in ms, decimal */
  expiresAtMs: string;
}

/** Response of `POST /oauth/consent`: who is asking. The client provides all of it, unverified. */
export interface ConsentRequest {
  client_name: string;
  /** Where the browser is redirected: scheme, host and port */
  redirect_origin: string;
  /** Sum of the requested permissions */
  perms: number;
  /** Unix time in ms */
  expires_at_ms: number;
}

/** Response of `POST /oauth/consent/key`: the new key, for the owner's wallet to register. */
export interface ConsentKey {
  /** Refers to the private key, which stays with the relayer */
  ticket: string;
  /** 64 hex digits */
  public_key: string;
  /** The key's signature over `delegateProofMessage(account_id)`, 128 hex digits; left out without an account */
  proof?: string;
}

/** Response of `POST /oauth/consent/finish` and `…/decline`: where the browser goes next. */
export interface ConsentOutcome {
  redirect_to: string;
}
