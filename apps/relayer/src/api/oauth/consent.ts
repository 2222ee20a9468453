import { randomUUID } from 'node:crypto';
import { ApiError } from '@memrelay/protocol/errors';
import {
  type ConsentKey,
  type ConsentOutcome,
  type ConsentRequest,
  type GrantScope,
  maxGrantDays,
} from '@memrelay/protocol/oauth';
import {
  insertGrant,
  insertToken,
  type OpenedToken,
  openToken,
  scopeText,
  setAccount,
  spend,
} from '../rows/grant-rows.ts';
import { auditGrant } from './audited-grants.ts';
import { type AuthorizationRequest, consentMs, readRequest } from './authorization-request.ts';
import type { OAuthContext } from './oauth-context.ts';
import { withParameters } from './redirect-uris.ts';
import { requireRegistered } from './registered-key.ts';
import { parseToken } from './token-seal.ts';

/** Lifetime of a code: short, because a waiting program exchanges it at once. */
export const codeMs = 60_000;
const dayMs = 86_400_000;

/** The actions of the consent page, on behalf of the owner. */
export interface Consent {
  /** What the page shows: the client and what it requests. Throws `invalid_consent`. */
  describe(request: string): ConsentRequest;
  /**
   * A new delegate key for this grant, made by the sidecar. Throws `invalid_consent`, `consent_too_long` and
   * `sidecar_unavailable`.
   *
   * @param accountId undefined when the wallet makes its account together with the key
   */
  makeKey(request: string, accountId: string | undefined, scope: GrantScope): Promise<ConsentKey>;
  /**
   * Returns the client's redirect URI with a code, once the key is registered on chain with exactly this scope. Throws
   * `invalid_consent`, `consent_not_registered` and `auth_unavailable`.
   */
  finish(request: string, ticket: string, accountId: string): Promise<ConsentOutcome>;
  /** Returns the client's redirect URI with `access_denied`. Throws `invalid_consent`. */
  decline(request: string): ConsentOutcome;
}

export function createConsent(context: OAuthContext): Consent {
  const { config, resource, db, accounts, sidecar, pepper, now } = context;

  /** Checks that the ticket belongs to this request and account and is unused. Throws `invalid_consent`. */
  function requireUnused(
    opened: OpenedToken | undefined,
    asked: AuthorizationRequest,
    accountId: string,
  ): OpenedToken {
    const terms = opened?.terms;
    if (
      !opened ||
      !terms ||
      opened.used ||
      opened.expiresAtMs <= now() ||
      terms.client !== asked.client ||
      terms.redirectUri !== asked.redirectUri ||
      terms.codeChallenge !== asked.codeChallenge ||
      terms.resource !== resource ||
      (terms.accountId ?? accountId) !== accountId
    )
      throw new ApiError('invalid_consent');
    return opened;
  }

  return {
    describe(request) {
      const { name, redirectUri, perms, expiresAtMs } = readRequest(context, request);
      return {
        client_name: name,
        redirect_origin: new URL(redirectUri).origin,
        perms,
        expires_at_ms: expiresAtMs,
      };
    },
    async makeKey(request, accountId, scope) {
      const asked = readRequest(context, request);
      const endMs = Number(scope.expiresAtMs);
      // One minute of tolerance for a page whose clock is ahead
      if (endMs <= now() || endMs > now() + maxGrantDays * dayMs + 60_000)
        throw new ApiError('consent_too_long');
      const made = await sidecar.makeDelegateKey(accountId);
      const delegateKey = Buffer.from(made.private_key, 'hex');
      const terms = {
        grantId: randomUUID(),
        client: asked.client,
        redirectUri: asked.redirectUri,
        codeChallenge: asked.codeChallenge,
        resource,
        accountId,
        scope: scopeText(scope),
      };
      const expiresAtMs = now() + consentMs;
      const ticket = await db.transaction(async (tx) => {
        await insertGrant(tx, terms, made.public_key);
        return insertToken(tx, pepper, 'ticket', { terms, delegateKey, expiresAtMs });
      });
      delegateKey.fill(0);
      return {
        ticket,
        public_key: made.public_key,
        ...(made.proof === undefined ? {} : { proof: made.proof }),
      };
    },
    async finish(request, ticket, accountId) {
      const asked = readRequest(context, request);
      const token = parseToken('ticket', ticket);
      if (!token) throw new ApiError('invalid_consent');
      const seen = requireUnused(await openToken(db, pepper, token, 'look'), asked, accountId);
      seen.delegateKey.fill(0);
      const account = await accounts.account(accountId, { maxAgeMs: 0 });
      requireRegistered(account, seen.publicKey, seen.scope, now());
      const code = await db.transaction(async (tx) => {
        const opened = requireUnused(await openToken(tx, pepper, token, 'lock'), asked, accountId);
        const terms = { ...opened.terms, accountId };
        await setAccount(tx, terms);
        // From now on tokens are sealed with the account id: the ticket sealed without one must not open again
        await spend(tx, pepper, { ...opened, terms });
        const { delegateKey } = opened;
        const text = await insertToken(tx, pepper, 'code', {
          terms,
          delegateKey,
          expiresAtMs: now() + codeMs,
        });
        delegateKey.fill(0);
        await auditGrant(context, tx, { terms, publicKey: opened.publicKey }, 'sign_in.granted');
        return text;
      });
      return answer(asked, { code });
    },
    decline: (request) => answer(readRequest(context, request), { error: 'access_denied' }),
  };

  /** Adds `iss` (RFC 9207), so that the client knows which server the response is from. */
  function answer(asked: AuthorizationRequest, parameters: Record<string, string>): ConsentOutcome {
    return {
      redirect_to: withParameters(asked.redirectUri, {
        ...parameters,
        state: asked.state,
        iss: config.issuer,
      }),
    };
  }
}
