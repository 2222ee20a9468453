import { createHash } from 'node:crypto';
import { ApiError } from '@memrelay/protocol/errors';
import { z } from 'zod';
import { isRedirectUri } from './redirect-uris.ts';
import type { SealedValues } from './sealed-value.ts';

/** A registered OAuth client. All its data is self-reported and unverified. */
export interface OAuthClient {
  /** SHA-256 of its client id, hex: identifies it in grants */
  fingerprint: string;
  name: string;
  redirectUris: readonly string[];
}

const maxUris = 10;
/** Total length of all redirect URIs, so that a client id fits into a request URL. */
const maxUriCharacters = 1_200;
const maxNameCharacters = 80;

const registration = z.object({
  redirect_uris: z.array(z.string()).min(1).max(maxUris),
  client_name: z.string().optional(),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).max(10).optional(),
  response_types: z.array(z.string()).max(10).optional(),
});

const stored = z.object({ name: z.string(), uris: z.array(z.string()) });

export interface Clients {
  /** RFC 7591. Throws `invalid_redirect_uri` and `invalid_client_metadata`. */
  register(body: unknown, nowMs: number): Record<string, unknown>;
  /** Undefined for an id that was not issued here */
  find(clientId: string): OAuthClient | undefined;
}

/**
 * Registered clients. The client id contains the sealed registration. Nothing is stored, so that registrations cannot
 * fill the database. The relayer never calls a client's address.
 */
export function createClients(sealed: SealedValues): Clients {
  return {
    register(body, nowMs) {
      const parsed = registration.safeParse(body);
      if (!parsed.success) throw new ApiError('invalid_client_metadata');
      const asked = parsed.data;
      const uris = [...new Set(asked.redirect_uris)];
      if (!uris.every(isRedirectUri) || uris.join('').length > maxUriCharacters)
        throw new ApiError('invalid_redirect_uri');
      if (asked.response_types && !asked.response_types.includes('code'))
        throw new ApiError('invalid_client_metadata');
      const name = [...(asked.client_name ?? '')].slice(0, maxNameCharacters).join('');
      return {
        client_id: sealed.seal('client', { name, uris }),
        client_id_issued_at: Math.floor(nowMs / 1000),
        client_name: name,
        redirect_uris: uris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      };
    },
    find(clientId) {
      const found = stored.safeParse(sealed.open('client', clientId));
      if (!found.success) return undefined;
      return {
        fingerprint: createHash('sha256').update(clientId).digest('hex'),
        name: found.data.name,
        redirectUris: found.data.uris,
      };
    },
  };
}
