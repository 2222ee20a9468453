import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@memrelay/protocol/errors';
import { oauthScopes } from '@memrelay/protocol/oauth';
import { insertToken, type OpenedToken, openToken, spend } from '../rows/grant-rows.ts';
import { auditGrant, revokeGrant } from './audited-grants.ts';
import type { OAuthClient } from './clients.ts';
import type { OAuthContext } from './oauth-context.ts';
import { livingDelegate } from './registered-key.ts';
import { parseToken, type Token, type TokenKind } from './token-seal.ts';

export const accessMs = 15 * 60_000;
/** Lifetime of an unused refresh token. Each use returns a new token. */
export const refreshMs = 30 * 86_400_000;

/** Response of the token endpoint (RFC 6749, 5.1). */
export interface TokenAnswer {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds */
  expires_in: number;
  refresh_token: string;
  scope: string;
}

/** The token endpoint and the revocation endpoint. */
export interface TokenRequests {
  /**
   * `POST /oauth/token`. Throws `invalid_request`, `invalid_client`, `invalid_grant`, `invalid_target`,
   * `unsupported_grant_type` and `auth_unavailable`.
   */
  issue(parameters: URLSearchParams): Promise<TokenAnswer>;
  /**
   * RFC 7009: revokes the grant of the token, whichever of its tokens it is. Silently ignores unknown tokens. Throws
   * `invalid_request` and `invalid_client`.
   */
  revoke(parameters: URLSearchParams): Promise<void>;
}

export function createTokenRequests(context: OAuthContext): TokenRequests {
  const { resource, db, accounts, clients, pepper, now } = context;

  function clientOf(parameters: URLSearchParams): OAuthClient {
    const client = clients.find(only(parameters, 'client_id') ?? '');
    if (!client) throw new ApiError('invalid_client');
    return client;
  }

  /**
   * Exchanges a single-use token. If another client presents it, or it is presented twice, it was stolen, so the grant
   * is revoked with all its tokens.
   */
  async function exchange(
    token: Token | undefined,
    isGood: (opened: OpenedToken) => boolean,
  ): Promise<TokenAnswer> {
    if (!token) throw new ApiError('invalid_grant');
    await endWithTheKey(token);
    const answer = await db.transaction(async (tx) => {
      const opened = await openToken(tx, pepper, token, 'lock');
      if (!opened) return undefined;
      const nowMs = now();
      if (opened.used || opened.expiresAtMs <= nowMs || !isGood(opened)) {
        await revokeGrant(context, tx, opened, 'misuse');
        return undefined;
      }
      await spend(tx, pepper, opened);
      const { terms, delegateKey, scope } = opened;
      const endMs = Number(scope.expiresAtMs);
      const until = (ms: number): number => Math.min(nowMs + ms, endMs);
      const grant = { terms, delegateKey };
      const access = await insertToken(tx, pepper, 'access', { ...grant, expiresAtMs: until(accessMs) });
      const refresh = await insertToken(tx, pepper, 'refresh', { ...grant, expiresAtMs: until(refreshMs) });
      delegateKey.fill(0);
      // Not each refresh, which comes every few minutes
      if (token.kind === 'code') await auditGrant(context, tx, opened, 'sign_in.completed');
      return {
        access_token: access,
        token_type: 'Bearer' as const,
        expires_in: Math.floor((until(accessMs) - nowMs) / 1000),
        refresh_token: refresh,
        scope: scopeWords(scope.perms),
      };
    });
    if (!answer) throw new ApiError('invalid_grant');
    return answer;
  }

  /** Revokes the grant of a key that was revoked or has expired. Throws `auth_unavailable`. */
  async function endWithTheKey(token: Token): Promise<void> {
    const opened = await openToken(db, pepper, token, 'look');
    opened?.delegateKey.fill(0);
    const accountId = opened?.terms.accountId;
    // A second use revokes the grant in any case, without a chain read
    if (!opened || opened.used || accountId === undefined) return;
    // A cached account may be older than the key; an account cached before an outage may be outdated
    const account = await accounts.account(accountId, { maxAgeMs: 100 });
    if (account?.stale) throw new ApiError('auth_unavailable');
    if (!livingDelegate(account, opened.publicKey, now()))
      await db.transaction((tx) => revokeGrant(context, tx, opened, 'key'));
  }

  return {
    async issue(parameters) {
      const grantType = required(parameters, 'grant_type');
      if (grantType !== 'authorization_code' && grantType !== 'refresh_token')
        throw new ApiError('unsupported_grant_type');
      const client = clientOf(parameters);
      const asked = parameters.getAll('resource');
      if (asked.some((one) => one !== resource)) throw new ApiError('invalid_target');
      const isOwn = ({ terms }: OpenedToken): boolean =>
        terms.client === client.fingerprint && terms.resource === resource;
      if (grantType === 'refresh_token') {
        return exchange(parseToken('refresh', required(parameters, 'refresh_token')), isOwn);
      }
      const redirectUri = only(parameters, 'redirect_uri');
      const verifier = only(parameters, 'code_verifier') ?? '';
      return exchange(
        parseToken('code', required(parameters, 'code')),
        (opened) =>
          isOwn(opened) &&
          opened.terms.redirectUri === redirectUri &&
          isVerified(verifier, opened.terms.codeChallenge),
      );
    },
    async revoke(parameters) {
      const client = parameters.has('client_id') ? clientOf(parameters) : undefined;
      const text = required(parameters, 'token');
      const kinds: readonly TokenKind[] = ['refresh', 'access'];
      for (const kind of kinds) {
        const token = parseToken(kind, text);
        const opened = token && (await openToken(db, pepper, token, 'look'));
        opened?.delegateKey.fill(0);
        if (!opened) continue;
        if (client && client.fingerprint !== opened.terms.client) throw new ApiError('invalid_client');
        await db.transaction((tx) => revokeGrant(context, tx, opened, 'client'));
      }
    },
  };
}

/** Throws `invalid_request` for a parameter that is given twice (RFC 6749, 3.2). */
function only(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1)
    throw new ApiError('invalid_request', { message: `${name} is given more than once.` });
  return values[0];
}

/** Throws `invalid_request` for a missing or empty parameter, which are equivalent (RFC 6749, 3.2). */
function required(parameters: URLSearchParams, name: string): string {
  const value = only(parameters, name);
  if (!value) throw new ApiError('invalid_request', { message: `${name} is missing.` });
  return value;
}

function isVerified(verifier: string, challenge: string): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false;
  const made = createHash('sha256').update(verifier).digest();
  const expected = Buffer.from(challenge, 'base64url');
  return made.length === expected.length && timingSafeEqual(made, expected);
}

function scopeWords(perms: number): string {
  return Object.entries(oauthScopes)
    .filter(([, bit]) => (perms & bit) !== 0)
    .map(([name]) => name)
    .join(' ');
}
