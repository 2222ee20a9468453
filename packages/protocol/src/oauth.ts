/** What relayer, sidecar and consent page agree on about OAuth in front of the tool server (security.md, "Tools, sign-in, pages"). */

export const oauthPaths = {
  /** RFC 9728; also with the path of a resource behind it */
  resourceMetadata: '/.well-known/oauth-protected-resource',
  /** RFC 8414 */
  serverMetadata: '/.well-known/oauth-authorization-server',
  register: '/oauth/register',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  /** The consent page's own, each a POST of JSON */
  consent: '/oauth/consent',
  consentKey: '/oauth/consent/key',
  consentFinish: '/oauth/consent/finish',
  consentDecline: '/oauth/consent/decline',
} as const;

/** The dashboard's page; the request stands in the fragment as `#request=…`. */
export const consentPagePath = '/connect/oauth';

/** Days that a grant lasts at most */
export const maxGrantDays = 90;

/**
 * Characters of the origin that an answer may go to. The consent page shows it whole: cut, `https://claude.ai.long….evil.example`
 * would look like another host's.
 */
export const maxRedirectOrigin = 100;

/** Scopes of tokens, and the bit of an account's scope that each stands for. */
export const oauthScopes = { 'memory:read': 1, 'memory:write': 2, 'memory:forget': 4 } as const;

/** The scope of a delegate as the chain keeps it. */
export interface GrantScope {
  /** Sum of READ 1, WRITE 2, FORGET 4 */
  perms: number;
  allNamespaces: boolean;
  /** Namespace tags, 32 hex digits each */
  tags: string[];
  /** Unix time in ms, decimal */
  expiresAtMs: string;
}

/** Answer to `POST /oauth/consent`: who asks. All of it is what the client says of itself. */
export interface ConsentRequest {
  client_name: string;
  /** Where the answer goes: scheme, host and port */
  redirect_origin: string;
  /** Sum of the permissions that it asks for */
  perms: number;
  /** Unix time in ms */
  expires_at_ms: number;
}

/** Answer to `POST /oauth/consent/key`: the new key, which the owner's wallet is to register. */
export interface ConsentKey {
  /** Stands for the key's private half, which stays with the relayer */
  ticket: string;
  /** 64 hex digits */
  public_key: string;
  /** The key's signature over `delegateProofMessage(account_id)`, 128 hex digits; left out without an account */
  proof?: string;
}

/** Answer to `POST /oauth/consent/finish` and `…/decline`: where the browser goes next. */
export interface ConsentOutcome {
  redirect_to: string;
}
