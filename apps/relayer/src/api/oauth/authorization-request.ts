import { ApiError } from '@memrelay/protocol/errors';
import { consentPagePath, oauthScopes } from '@memrelay/protocol/oauth';
import { z } from 'zod';
import type { OAuthContext } from './oauth-context.ts';
import { isRegistered } from './redirect-uris.ts';

/** A validated authorization request. The consent page receives and returns it sealed. */
export interface AuthorizationRequest {
  /** `OAuthClient.fingerprint` */
  client: string;
  name: string;
  redirectUri: string;
  codeChallenge: string;
  state: string | undefined;
  /** Bit mask of the requested permissions */
  perms: number;
  /** Unix time */
  expiresAtMs: number;
}

/** How long the owner may take to decide. */
export const consentMs = 10 * 60_000;

/** Default permissions; the owner can add deletion on the consent page. */
const usualPerms = oauthScopes['memory:read'] + oauthScopes['memory:write'];
const maxStateCharacters = 1_024;

const sealedRequest = z.object({
  client: z.string(),
  name: z.string(),
  redirectUri: z.string(),
  codeChallenge: z.string(),
  state: z.string().optional(),
  perms: z.number(),
  expiresAtMs: z.number(),
});

/**
 * Validates the authorization request that a client opened in a browser, and returns the address of the consent page.
 * Throws `invalid_client`, `invalid_redirect_uri`, `invalid_target` and `invalid_authorization`. These errors must not
 * be sent to the client by redirect: anyone can register an address, and a redirect without the owner's consent would
 * make this server an open redirector (RFC 9700, 4.11.2).
 */
export function consentAddress(context: OAuthContext, query: URLSearchParams): string {
  const { config, clients, sealed, now } = context;
  const one = (name: string): string | undefined => {
    const values = query.getAll(name);
    if (values.length > 1) throw refusal(`${name} is given more than once.`);
    return values[0];
  };
  const client = clients.find(one('client_id') ?? '');
  if (!client) throw new ApiError('invalid_client');
  const redirectUri = one('redirect_uri') ?? '';
  if (!isRegistered(redirectUri, client.redirectUris)) throw new ApiError('invalid_redirect_uri');
  if (one('response_type') !== 'code') throw refusal('response_type must be code.');
  const codeChallenge = one('code_challenge') ?? '';
  if (one('code_challenge_method') !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(codeChallenge))
    throw refusal('PKCE with S256 is required: code_challenge and code_challenge_method.');
  const state = one('state');
  if ((state?.length ?? 0) > maxStateCharacters) throw refusal('state is too long.');
  const resources = query.getAll('resource');
  if (resources.some((resource) => resource !== context.resource)) throw new ApiError('invalid_target');
  const request: AuthorizationRequest = {
    client: client.fingerprint,
    name: client.name,
    redirectUri,
    codeChallenge,
    state,
    perms: permsOf(one('scope')),
    expiresAtMs: now() + consentMs,
  };
  return `${config.dashboardUrl}${consentPagePath}#request=${sealed.seal('request', request)}`;
}

/** Opens a sealed authorization request. Throws `invalid_consent` if it was not sealed here or has expired. */
export function readRequest({ sealed, now }: OAuthContext, text: string): AuthorizationRequest {
  const request = sealedRequest.safeParse(sealed.open('request', text));
  if (!request.success || request.data.expiresAtMs <= now()) throw new ApiError('invalid_consent');
  return { ...request.data, state: request.data.state };
}

function permsOf(scope: string | undefined): number {
  const asked = (scope ?? '').split(' ');
  const perms = Object.entries(oauthScopes).reduce(
    (sum, [name, bit]) => sum + (asked.includes(name) ? bit : 0),
    0,
  );
  return perms === 0 ? usualPerms : perms;
}

function refusal(message: string): ApiError {
  return new ApiError('invalid_authorization', { message });
}
