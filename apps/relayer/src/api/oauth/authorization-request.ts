import { ApiError } from '@memrelay/protocol/errors';
import { consentPagePath, oauthScopes } from '@memrelay/protocol/oauth';
import { z } from 'zod';
import type { OAuthContext } from './oauth-context.ts';
import { isRegistered } from './redirect-uris.ts';

/** What a client asks for, as it was checked; goes through the consent page and back, sealed. */
export interface AuthorizationRequest {
  /** `OAuthClient.fingerprint` */
  client: string;
  name: string;
  redirectUri: string;
  codeChallenge: string;
  state: string | undefined;
  /** Sum of the permissions that it asks for */
  perms: number;
  /** Unix time */
  expiresAtMs: number;
}

/** How long a person may take to decide. */
export const consentMs = 10 * 60_000;

/** The usual rights; deleting is for the person to add. */
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
 * Checks the address that a client sent a browser to, and returns that of the consent page. Throws `invalid_client`,
 * `invalid_redirect_uri`, `invalid_target` and `invalid_authorization`, none of which may be redirected: anybody can register an address,
 * and a redirect without a person's leave would lend them our name (RFC 9700, 4.11.2).
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

/** Throws `invalid_consent` when it was not made here or has expired. */
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
