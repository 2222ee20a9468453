import { createHash, randomBytes } from 'node:crypto';
import { nodePrimitives as p } from '@memrelay/envelope/node-primitives';
import { type ConsentKey, type GrantScope, oauthPaths } from '@memrelay/protocol/oauth';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { AccountSnapshot, DelegateScope } from '../../src/accounts/account-directory.ts';
import { createApp } from '../../src/api/http/app.ts';
import { createRateLimits } from '../../src/api/limits/rate-limits.ts';
import { createBearerReader, type ReadBearer } from '../../src/api/oauth/access-tokens.ts';
import { createOAuthContext, type OAuthContext } from '../../src/api/oauth/oauth-context.ts';
import { oauthRoutes } from '../../src/api/routes/oauth-routes.ts';
import { silent } from './auth-app.ts';
import type { TestDb } from './databases.ts';
import { loopbackHosts } from './loopback-hosts.ts';
import { testAudit } from './test-audit.ts';

export const issuer = 'https://memory.example';
export const dashboard = 'https://dashboard.example';
/** Another page that may call the relayer, but not the consent routes */
export const otherApp = 'https://app.example';
export const accountId = `0x${'ac'.repeat(32)}`;
export const redirectUri = 'https://host.example/callback';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** An authorization server on a real database; the test controls chain and clock. */
export interface OAuthWorld {
  app: FastifyInstance;
  context: OAuthContext;
  readBearer: ReadBearer;
  /** Generated private keys, hex */
  keysMade: string[];
  /** The delegates on chain */
  delegates: Map<string, DelegateScope>;
  /** `isBehind`: callers that do not require a fresh read get the state before any delegate was added */
  account: { active: boolean; stale: boolean; isBehind: boolean };
  pass(ms: number): void;
  register(uris?: readonly string[], name?: string): Promise<string>;
  authorize(parameters: Record<string, string | undefined>): Promise<LightMyRequestResponse>;
  consent(path: string, body: object, origin?: string): Promise<LightMyRequestResponse>;
  token(parameters: Record<string, string>, path?: string): Promise<LightMyRequestResponse>;
  scope(days?: number): GrantScope;
  /** The request as the consent page gets it */
  request(clientId: string, challenge: string, more?: Record<string, string>): Promise<string>;
  /** The whole flow up to the code */
  code(days?: number): Promise<Issued>;
}

export interface Issued {
  clientId: string;
  verifier: string;
  code: string;
  redirectTo: URL;
  publicKey: string;
  /** The parameters of a valid exchange */
  exchange: Record<string, string>;
}

export const newVerifier = (): string => randomBytes(32).toString('base64url');
export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');

export async function startOAuthWorld(
  { db }: TestDb,
  options: { issuer?: string; key?: Buffer } = {},
): Promise<OAuthWorld> {
  let nowMs = 1_800_000_000_000;
  const keysMade: string[] = [];
  const delegates = new Map<string, DelegateScope>();
  const account = { active: true, stale: false, isBehind: false };
  const context = createOAuthContext({
    config: { issuer: options.issuer ?? issuer, dashboardUrl: dashboard },
    db,
    audit: testAudit,
    accounts: {
      account: async (id, asked) =>
        id === accountId
          ? ({
              active: account.active,
              stale: account.stale,
              delegates:
                account.isBehind && asked?.maxAgeMs === undefined
                  ? []
                  : [...delegates].map(([publicKey, scope]) => ({ publicKey, scope })),
            } as unknown as AccountSnapshot)
          : undefined,
    },
    sidecar: {
      async makeDelegateKey() {
        const key = p.randomBytes(32);
        keysMade.push(hex(key));
        return { private_key: hex(key), public_key: hex(p.ed25519PublicKey(key)), proof: 'ab'.repeat(64) };
      },
    },
    key: options.key ?? randomBytes(32),
    now: () => nowMs,
  });
  const allowedOrigins = [dashboard, otherApp];
  const app = createApp({ log: silent, allowedOrigins, hosts: loopbackHosts });
  await app.register(oauthRoutes, {
    context,
    trustedProxyHops: 0,
    rateLimits: await createRateLimits(undefined, silent),
    log: silent,
  });
  let clients = 0;
  const world: OAuthWorld = {
    app,
    context,
    readBearer: createBearerReader(context),
    keysMade,
    delegates,
    account,
    pass(ms) {
      nowMs += ms;
    },
    async register(uris = [redirectUri], name = 'Claude') {
      // A new address each time, because the registration limit is tested elsewhere
      const answer = await app.inject({
        method: 'POST',
        url: oauthPaths.register,
        payload: { redirect_uris: uris, client_name: name },
        remoteAddress: `10.0.0.${clients++ % 250}`,
      });
      if (answer.statusCode !== 201) throw new Error(answer.body);
      return answer.json<{ client_id: string }>().client_id;
    },
    authorize(parameters) {
      const query = Object.entries(parameters).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      return app.inject({ url: `${oauthPaths.authorize}?${new URLSearchParams(query)}` });
    },
    consent: (path, body, origin = dashboard) =>
      app.inject({
        method: 'POST',
        url: path,
        payload: body,
        headers: { origin },
        remoteAddress: `10.1.0.${clients++ % 250}`,
      }),
    token: (parameters, path = oauthPaths.token) =>
      app.inject({
        method: 'POST',
        url: path,
        payload: new URLSearchParams(parameters).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    scope: (days = 30) => ({
      perms: 3,
      allNamespaces: false,
      tags: ['22'.repeat(16), '11'.repeat(16)],
      expiresAtMs: String(nowMs + days * 86_400_000),
    }),
    async request(clientId, challenge, more = {}) {
      const answer = await world.authorize({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        state: 'the state & more',
        resource: context.resource,
        ...more,
      });
      return new URLSearchParams(new URL(answer.headers.location!).hash.slice(1)).get('request')!;
    },
    async code(days) {
      const clientId = await world.register();
      const verifier = newVerifier();
      const request = await world.request(clientId, challengeOf(verifier));
      const scope = world.scope(days);
      const key = (
        await world.consent(oauthPaths.consentKey, { request, account_id: accountId, scope })
      ).json<ConsentKey>();
      delegates.set(key.public_key, { ...scope, minEpoch: 0, expiresAtMs: Number(scope.expiresAtMs) });
      const finished = await world.consent(oauthPaths.consentFinish, {
        request,
        ticket: key.ticket,
        account_id: accountId,
      });
      const redirectTo = new URL(finished.json<{ redirect_to: string }>().redirect_to);
      const code = redirectTo.searchParams.get('code')!;
      const exchange = {
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: redirectUri,
        code,
        code_verifier: verifier,
        resource: context.resource,
      };
      return { clientId, verifier, code, redirectTo, publicKey: key.public_key, exchange };
    },
  };
  return world;
}
