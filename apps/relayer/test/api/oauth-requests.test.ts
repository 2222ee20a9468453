import { oauthPaths } from '@memrelay/protocol/oauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRedirectUri, isRegistered } from '../../src/api/oauth/redirect-uris.ts';
import { databases, type TestDb } from '../support/databases.ts';
import {
  accountId,
  challengeOf,
  dashboard,
  issuer,
  newVerifier,
  type OAuthWorld,
  otherApp,
  redirectUri,
  startOAuthWorld,
} from '../support/oauth-world.ts';

/** Metadata, registration, and the redirects to the consent page and back. */

const [{ create }] = databases as [(typeof databases)[number]];
let tables: TestDb;
let world: OAuthWorld;
let clientId: string;
beforeAll(async () => {
  tables = await create();
  world = await startOAuthWorld(tables);
  clientId = await world.register([redirectUri, 'http://127.0.0.1:3000/cb']);
});
afterAll(async () => {
  await world?.app.close();
  await tables?.drop();
});

describe('redirect addresses', () => {
  test.each([
    'https://claude.ai/api/mcp/auth_callback',
    'https://host.example:8443/cb?keep=1',
    'http://127.0.0.1:33418',
    'http://[::1]:1/cb',
    'http://localhost/cb',
  ])('%s may be registered', (uri) => expect(isRedirectUri(uri)).toBe(true));

  test.each([
    'http://host.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://127.0.0.1:3000@evil.example/',
    'http://localhost:99999/cb',
    'https://user:pass@host.example/',
    'https://host.example/#fragment',
    'https://host.example\\@evil.example/',
    'https:/host.example/',
    'https:host.example/',
    'https://',
    'javascript:alert(1)',
    'cursor://callback',
    'https://höst.example/',
    'https://host.example/\n',
    `https://host.example/${'a'.repeat(512)}`,
    `https://claude.ai.${'a'.repeat(60)}.${'b'.repeat(20)}.evil.example/`,
  ])('%s may not', (uri) => expect(isRedirectUri(uri)).toBe(false));

  test.each([
    'https://host.example/callback/',
    'https://host.example/callback2',
    'https://host.example/callback?more=1',
    'https://host.example/Callback',
    'https://HOST.example/callback',
    'https://host.example:444/callback',
    'https://host.example:443/callback',
    'https://host.example/callback/../callback',
    'http://host.example/callback',
    'http://localhost:3000/cb',
    'http://127.0.0.1:3000/cb?x',
    'http://127.0.0.1:3000/other',
  ])('rejects %s, which is not registered', (uri) =>
    expect(isRegistered(uri, [redirectUri, 'http://127.0.0.1:3000/cb'])).toBe(false),
  );

  test('accept any port on this machine', () =>
    expect(isRegistered('http://127.0.0.1:49152/cb', ['http://127.0.0.1:3000/cb'])).toBe(true));
});

test('metadata uses the configured addresses, regardless of the Host header', async () => {
  const get = async (url: string) =>
    (await world.app.inject({ url, headers: { host: 'localhost:1' } })).json<object>();
  expect(await get(oauthPaths.serverMetadata)).toMatchObject({
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    authorization_response_iss_parameter_supported: true,
  });
  for (const path of ['', '/api/mcp', '/api/mcp/sse'])
    expect(await get(`${oauthPaths.resourceMetadata}${path}`)).toMatchObject({
      resource: `${issuer}/api/mcp`,
      authorization_servers: [issuer],
    });
});

describe('registration', () => {
  const post = (payload: object | string, remoteAddress = '192.0.2.1') =>
    world.app.inject({
      method: 'POST',
      url: oauthPaths.register,
      payload,
      headers: { 'content-type': 'application/json' },
      remoteAddress,
    });

  test('returns its input, and stores nothing', async () => {
    const answer = await post({
      redirect_uris: [redirectUri],
      client_name: 'Ünïcode "x"',
      logo_uri: 'http://a/',
    });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({ client_name: 'Ünïcode "x"', token_endpoint_auth_method: 'none' });
    expect(answer.json()).not.toHaveProperty('client_secret');
    expect((await tables.db.query('SELECT 1 FROM oauth_grant')).rows).toEqual([]);
  });

  test.each([
    [{}, 'invalid_client_metadata'],
    [{ redirect_uris: [] }, 'invalid_client_metadata'],
    [{ redirect_uris: ['http://host.example/'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: [redirectUri, 'app://x'] }, 'invalid_redirect_uri'],
    [
      { redirect_uris: Array.from({ length: 11 }, (_, i) => `${redirectUri}${i}`) },
      'invalid_client_metadata',
    ],
    [
      { redirect_uris: [1, 2, 3].map((n) => `https://h.example/${'a'.repeat(480)}${n}`) },
      'invalid_redirect_uri',
    ],
    [{ redirect_uris: [redirectUri], response_types: ['token'] }, 'invalid_client_metadata'],
    ['{"redirect_uris', 'invalid_request'],
  ])('rejects %j', async (body, error) => {
    const answer = await post(body, '192.0.2.2');
    expect([answer.statusCode, answer.json()]).toEqual([400, expect.objectContaining({ error })]);
  });

  test('is rejected if it is too large, and if too many come from one address', async () => {
    expect(
      (await post({ redirect_uris: [redirectUri], x: 'a'.repeat(20_000) }, '192.0.2.3')).statusCode,
    ).toBe(413);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => post({ redirect_uris: [redirectUri] }, '192.0.2.4')),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10);
    expect((await post({ redirect_uris: [redirectUri] }, '192.0.2.5')).statusCode).toBe(201);
  });
});

describe('an authorization request', () => {
  const good = () => ({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: challengeOf(newVerifier()),
    code_challenge_method: 'S256',
    resource: `${issuer}/api/mcp`,
  });

  test('redirects to the consent page, sealed, in the fragment', async () => {
    const answer = await world.authorize({
      ...good(),
      state: 'a-state',
      scope: 'memory:read offline_access',
    });
    expect(answer.statusCode).toBe(303);
    const to = new URL(answer.headers.location!);
    expect(`${to.origin}${to.pathname}${to.search}`).toBe(`${dashboard}/connect/oauth`);
    expect(to.hash).not.toContain('a-state');
    const request = new URLSearchParams(to.hash.slice(1)).get('request')!;
    const described = await world.consent(oauthPaths.consent, { request });
    expect(described.json()).toMatchObject({
      client_name: 'Claude',
      redirect_origin: 'https://host.example',
      perms: 1,
    });
  });

  test.each<[string, Record<string, string | undefined>]>([
    ['an unknown client', { client_id: 'made-up' }],
    ['no client', { client_id: undefined }],
    ['another address', { redirect_uri: 'https://evil.example/' }],
    ['an address like it', { redirect_uri: `${redirectUri}.evil.example` }],
    ['no address', { redirect_uri: undefined }],
    ['plain PKCE', { code_challenge_method: 'plain' }],
    ['PKCE whose method is left out', { code_challenge_method: undefined }],
    ['no PKCE', { code_challenge: undefined }],
    ['a short challenge', { code_challenge: 'abc' }],
    ['the implicit flow', { response_type: 'token' }],
    ['another resource', { resource: 'https://other.example/api/mcp' }],
    ['a state without end', { state: 'a'.repeat(1_025) }],
  ])('with %s gets an error page without a redirect', async (_name, change) => {
    const answer = await world.authorize({ ...good(), ...change });
    expect(answer.statusCode).toBe(400);
    expect(answer.headers.location).toBeUndefined();
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.body).toContain('nothing was granted');
    expect(answer.body).not.toContain('evil.example');
  });

  test('with a repeated parameter is rejected', async () => {
    const query = `${new URLSearchParams(good())}&redirect_uri=https://evil.example/`;
    expect((await world.app.inject({ url: `${oauthPaths.authorize}?${query}` })).statusCode).toBe(400);
  });

  test("of another relayer's client is rejected", async () => {
    const other = await startOAuthWorld(tables);
    const foreign = await other.register();
    await other.app.close();
    expect((await world.authorize({ ...good(), client_id: foreign })).statusCode).toBe(400);
  });
});

describe('a consent', () => {
  const challenge = challengeOf(newVerifier());
  const request = () => world.request(clientId, challenge);
  async function keyOf(asked: string, scope = world.scope(), id: string | null = accountId) {
    const body = { request: asked, scope, ...(id === null ? {} : { account_id: id }) };
    return world.consent(oauthPaths.consentKey, body);
  }
  const register = (publicKey: string, scope = world.scope()) =>
    world.delegates.set(publicKey, { ...scope, minEpoch: 0, expiresAtMs: Number(scope.expiresAtMs) });

  test('is accepted only from the dashboard', async () => {
    const asked = await request();
    for (const path of [
      oauthPaths.consent,
      oauthPaths.consentKey,
      oauthPaths.consentFinish,
      oauthPaths.consentDecline,
    ]) {
      for (const origin of ['https://evil.example', 'null', issuer, otherApp]) {
        const answer = await world.consent(path, { request: asked }, origin);
        expect([answer.statusCode, answer.json()]).toEqual([
          403,
          expect.objectContaining({ error: 'foreign_origin' }),
        ]);
      }
      const without = await world.app.inject({ method: 'POST', url: path, payload: { request: asked } });
      expect(without.statusCode).toBe(403);
    }
  });

  test('for an unknown or expired request is rejected', async () => {
    const asked = await request();
    for (const forged of ['', 'made-up', `${asked}A`, `A${asked.slice(1)}`, clientId])
      expect((await world.consent(oauthPaths.consent, { request: forged })).json()).toMatchObject({
        error: 'invalid_consent',
      });
    world.pass(10 * 60_000);
    expect((await keyOf(asked)).json()).toMatchObject({ error: 'invalid_consent' });
  });

  test('never reveals the private half of the key', async () => {
    const answer = await keyOf(await request());
    expect(Object.keys(answer.json())).toEqual(['ticket', 'public_key', 'proof']);
    expect(answer.body).not.toContain(world.keysMade.at(-1));
  });

  test('for longer than 90 days, or without an expiry, is rejected', async () => {
    const asked = await request();
    expect((await keyOf(asked, world.scope(91))).json()).toMatchObject({ error: 'consent_too_long' });
    expect((await keyOf(asked, world.scope(-1))).json()).toMatchObject({ error: 'consent_too_long' });
    expect((await keyOf(asked, { ...world.scope(), expiresAtMs: '0' })).statusCode).toBe(400);
    expect((await keyOf(asked, world.scope(90))).statusCode).toBe(200);
  });

  test('gives a code only when the chain has the key with exactly this scope', async () => {
    const asked = await request();
    const scope = world.scope();
    const { ticket, public_key } = (await keyOf(asked, scope)).json();
    const finish = () =>
      world.consent(oauthPaths.consentFinish, { request: asked, ticket, account_id: accountId });
    expect([(await finish()).statusCode, (await finish()).json()]).toEqual([
      409,
      expect.objectContaining({ error: 'consent_not_registered' }),
    ]);
    register(public_key, { ...scope, perms: 7 });
    expect((await finish()).statusCode).toBe(409);
    register(public_key, { ...scope, allNamespaces: true });
    expect((await finish()).statusCode).toBe(409);
    register(public_key, scope);
    world.account.active = false;
    expect((await finish()).statusCode).toBe(409);
    world.account.active = true;
    expect((await finish()).statusCode).toBe(200);
    expect((await finish()).json()).toMatchObject({ error: 'invalid_consent' });
  });

  test('cannot be transferred to another request', async () => {
    const asked = await request();
    const { ticket, public_key } = (await keyOf(asked)).json();
    register(public_key);
    const other = await world.request(clientId, challengeOf(newVerifier()));
    const elsewhere = `0x${'bb'.repeat(32)}`;
    for (const body of [
      { request: other, ticket, account_id: accountId },
      { request: asked, ticket, account_id: elsewhere },
      { request: asked, ticket: `mrct_${'A'.repeat(64)}`, account_id: accountId },
    ])
      expect((await world.consent(oauthPaths.consentFinish, body)).json()).toMatchObject({
        error: 'invalid_consent',
      });
  });

  test('for an account created with the key is bound to that account', async () => {
    const asked = await request();
    const { ticket, public_key } = (await keyOf(asked, world.scope(), null)).json();
    register(public_key);
    const body = { request: asked, ticket, account_id: accountId };
    expect((await world.consent(oauthPaths.consentFinish, body)).statusCode).toBe(200);
    expect((await world.consent(oauthPaths.consentFinish, body)).statusCode).toBe(400);
  });

  test('that is declined redirects with access_denied', async () => {
    const answer = await world.consent(oauthPaths.consentDecline, { request: await request() });
    const to = new URL(answer.json<{ redirect_to: string }>().redirect_to);
    expect(`${to.origin}${to.pathname}`).toBe(redirectUri);
    expect(Object.fromEntries(to.searchParams)).toEqual({
      error: 'access_denied',
      state: 'the state & more',
      iss: issuer,
    });
  });
});
