import { randomBytes } from 'node:crypto';
import { oauthPaths } from '@memrelay/protocol/oauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TokenAnswer } from '../../src/api/oauth/token-requests.ts';
import { pruneGrants } from '../../src/api/rows/grant-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import {
  accountId,
  challengeOf,
  type Issued,
  issuer,
  newVerifier,
  type OAuthWorld,
  redirectUri,
  startOAuthWorld,
} from '../support/oauth-world.ts';

/** Codes, access tokens and refresh tokens, and attempts to misuse them. */

const [{ create }] = databases as [(typeof databases)[number]];
let tables: TestDb;
let world: OAuthWorld;
const key = randomBytes(32);
beforeAll(async () => {
  tables = await create();
  world = await startOAuthWorld(tables, { key });
});
afterAll(async () => {
  await world?.app.close();
  await tables?.drop();
});

const invalidGrant = { error: 'invalid_grant' };
async function tokensOf(issued: Issued): Promise<TokenAnswer> {
  const answer = await world.token(issued.exchange);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}
const use = ({ access_token }: TokenAnswer) => world.readBearer(`Bearer ${access_token}`);
const refreshWith = ({ refresh_token }: TokenAnswer, clientId: string, more: Record<string, string> = {}) =>
  world.token({ grant_type: 'refresh_token', refresh_token, client_id: clientId, ...more });
const rows = async (table: string) => (await tables.db.query(`SELECT * FROM ${table}`)).rows;
const grantsOf = async (publicKey: string) =>
  (await tables.db.query("SELECT 1 FROM oauth_grant WHERE encode(public_key, 'hex') = $1", [publicKey])).rows;

describe('a code', () => {
  test('is returned with state and issuer, and can be exchanged for tokens of the key', async () => {
    const issued = await world.code();
    expect(`${issued.redirectTo.origin}${issued.redirectTo.pathname}`).toBe(redirectUri);
    expect(issued.redirectTo.searchParams.get('state')).toBe('the state & more');
    expect(issued.redirectTo.searchParams.get('iss')).toBe(issuer);
    const answer = await world.token(issued.exchange);
    expect(answer.headers['cache-control']).toBe('no-store');
    const tokens = answer.json<TokenAnswer>();
    expect(tokens).toMatchObject({
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'memory:read memory:write',
    });
    expect(await use(tokens)).toEqual({ delegateKey: world.keysMade.at(-1), accountId });
  });

  test('that is used twice ends the grant, also for the first user', async () => {
    const issued = await world.code();
    const tokens = await tokensOf(issued);
    expect((await world.token(issued.exchange)).json()).toMatchObject(invalidGrant);
    await expect(use(tokens)).rejects.toMatchObject({ code: 'invalid_token' });
    expect((await refreshWith(tokens, issued.clientId)).json()).toMatchObject(invalidGrant);
    expect(await grantsOf(issued.publicKey)).toEqual([]);
  });

  test('that is used twice concurrently succeeds at most once, and the grant ends', async () => {
    const issued = await world.code();
    const answers = await Promise.all(Array.from({ length: 4 }, () => world.token(issued.exchange)));
    const good = answers.filter(({ statusCode }) => statusCode === 200);
    expect(good).toHaveLength(1);
    await expect(use(good[0]!.json())).rejects.toMatchObject({ code: 'invalid_token' });
    expect(await grantsOf(issued.publicKey)).toEqual([]);
  });

  test.each([
    ['a wrong verifier', async () => ({ code_verifier: newVerifier() })],
    ['the challenge as verifier', async ({ verifier }: Issued) => ({ code_verifier: challengeOf(verifier) })],
    ['no verifier', async () => ({ code_verifier: '' })],
    ['another redirect', async () => ({ redirect_uri: `${redirectUri}/` })],
    ['another client', async () => ({ client_id: await world.register() })],
  ])('with %s is rejected, and the grant ends', async (_name, change) => {
    const issued = await world.code();
    const answer = await world.token({ ...issued.exchange, ...(await change(issued)) });
    expect([answer.statusCode, answer.json()]).toEqual([400, expect.objectContaining(invalidGrant)]);
    expect((await world.token(issued.exchange)).statusCode).toBe(400);
    expect(await grantsOf(issued.publicKey)).toEqual([]);
  });

  test('for another resource, or of an unknown client, is rejected', async () => {
    const issued = await world.code();
    const other = await world.token({ ...issued.exchange, resource: 'https://other.example/api/mcp' });
    expect(other.json()).toMatchObject({ error: 'invalid_target' });
    const unknownClient = await world.token({ ...issued.exchange, client_id: 'made-up' });
    expect([unknownClient.statusCode, unknownClient.json()]).toEqual([
      401,
      expect.objectContaining({ error: 'invalid_client' }),
    ]);
  });

  test('is valid for one minute', async () => {
    const [early, late] = [await world.code(), await world.code()];
    world.pass(59_999);
    await tokensOf(early);
    world.pass(1);
    expect((await world.token(late.exchange)).json()).toMatchObject(invalidGrant);
  });

  test.each([
    ['was revoked', ({ publicKey }: Issued) => world.delegates.delete(publicKey)],
    ['has ended', () => world.pass(30_000)],
  ])('of a key that %s in the meantime is rejected, and the grant ends', async (_name, happen) => {
    const issued = await world.code(30_000 / 86_400_000);
    happen(issued);
    expect((await world.token(issued.exchange)).json()).toMatchObject(invalidGrant);
    expect(await grantsOf(issued.publicKey)).toEqual([]);
  });

  test('without a required parameter is an invalid request, as is a revocation without a token', async () => {
    const issued = await world.code();
    for (const missing of ['grant_type', 'code']) {
      const { [missing]: _left, ...rest } = issued.exchange;
      for (const sent of [rest, { ...rest, [missing]: '' }]) {
        const answer = await world.token(sent);
        expect([answer.statusCode, answer.json()]).toEqual([
          400,
          expect.objectContaining({ error: 'invalid_request' }),
        ]);
      }
    }
    const nothing = await world.token({ client_id: issued.clientId }, oauthPaths.revoke);
    expect(nothing.json()).toMatchObject({ error: 'invalid_request' });
    await tokensOf(issued);
  });

  test('with a known id and a wrong secret ends nothing', async () => {
    const issued = await world.code();
    const bytes = Buffer.from(issued.code.slice(5), 'base64url');
    bytes.fill(7, 16);
    const guess = `mrac_${bytes.toString('base64url')}`;
    expect((await world.token({ ...issued.exchange, code: guess })).json()).toMatchObject(invalidGrant);
    await tokensOf(issued);
  });
});

describe('a refresh token', () => {
  test('gives new tokens once; a second use ends the grant', async () => {
    const issued = await world.code();
    const first = await tokensOf(issued);
    const second = (await refreshWith(first, issued.clientId)).json<TokenAnswer>();
    expect(await use(second)).toMatchObject({ accountId });
    expect((await refreshWith(first, issued.clientId)).json()).toMatchObject(invalidGrant);
    await expect(use(second)).rejects.toMatchObject({ code: 'invalid_token' });
    expect((await refreshWith(second, issued.clientId)).json()).toMatchObject(invalidGrant);
  });

  test('of another client, or used as a code or an access token, is rejected', async () => {
    const issued = await world.code();
    const tokens = await tokensOf(issued);
    const renamed = `mrat_${tokens.refresh_token.slice(5)}`;
    for (const text of [tokens.refresh_token, issued.code, renamed])
      await expect(world.readBearer(`Bearer ${text}`)).rejects.toMatchObject({ code: 'invalid_token' });
    expect((await world.token({ ...issued.exchange, code: tokens.refresh_token })).json()).toMatchObject(
      invalidGrant,
    );
    expect((await refreshWith(tokens, await world.register())).json()).toMatchObject(invalidGrant);
    expect(await grantsOf(issued.publicKey)).toEqual([]);
  });

  test.each([
    ['was revoked', ({ publicKey }: Issued) => world.delegates.delete(publicKey)],
    ['has ended', () => world.pass(31 * 86_400_000)],
  ])('of a key that %s is rejected, and the grant ends', async (_name, happen) => {
    const issued = await world.code();
    const tokens = await tokensOf(issued);
    happen(issued);
    expect((await refreshWith(tokens, issued.clientId)).json()).toMatchObject(invalidGrant);
    expect(await grantsOf(issued.publicKey)).toEqual([]);
  });
});

test('neither ends a grant nor gives tokens based on stale chain data', async () => {
  const issued = await world.code();
  world.account.isBehind = true;
  const tokens = await tokensOf(issued);
  const next = (await refreshWith(tokens, issued.clientId)).json<TokenAnswer>();
  expect(await use(next)).toMatchObject({ accountId });
  world.account.isBehind = false;
  world.account.stale = true;
  const scope = world.delegates.get(issued.publicKey)!;
  for (const isRegistered of [true, false]) {
    if (!isRegistered) world.delegates.delete(issued.publicKey);
    const answer = await refreshWith(next, issued.clientId);
    expect([answer.statusCode, answer.json()]).toEqual([
      503,
      expect.objectContaining({ error: 'auth_unavailable' }),
    ]);
  }
  world.account.stale = false;
  world.delegates.set(issued.publicKey, scope);
  expect((await refreshWith(next, issued.clientId)).statusCode).toBe(200);
});

test('ends the grant at its second use even while the chain is unavailable', async () => {
  const issued = await world.code();
  const tokens = await tokensOf(issued);
  world.account.stale = true;
  const again = await world.token(issued.exchange);
  world.account.stale = false;
  expect(again.json()).toMatchObject(invalidGrant);
  await expect(use(tokens)).rejects.toMatchObject({ code: 'invalid_token' });
});

test('is rejected without forwarding if the header has more than an access token', async () => {
  const { access_token } = await tokensOf(await world.code());
  for (const header of [
    `Bearer ${access_token} more`,
    `Bearer ${access_token}, Bearer x`,
    `Bearer\t${access_token}`,
    `bearer  ${access_token}=`,
    `Basic ${access_token}`,
    access_token,
  ])
    await expect(world.readBearer(header), header).rejects.toMatchObject({ code: 'invalid_token' });
});

test('that is used at two relayers concurrently succeeds at most once, and the grant ends', async () => {
  const issued = await world.code();
  const tokens = await tokensOf(issued);
  const second = await startOAuthWorld(tables, { key });
  for (const [publicKey, scope] of world.delegates) second.delegates.set(publicKey, scope);
  const asked = {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
    client_id: issued.clientId,
  };
  const answers = await Promise.all([world, second, world, second].map((relayer) => relayer.token(asked)));
  await second.app.close();
  const good = answers.filter(({ statusCode }) => statusCode === 200);
  expect(good.length).toBeLessThanOrEqual(1);
  for (const answer of good)
    await expect(use(answer.json())).rejects.toMatchObject({ code: 'invalid_token' });
  expect(await grantsOf(issued.publicKey)).toEqual([]);
});

test('an access token is valid for 15 minutes, only at this relayer', async () => {
  const tokens = await tokensOf(await world.code());
  const elsewhere = await startOAuthWorld(tables, { issuer: 'https://other.example', key });
  await expect(elsewhere.readBearer(`Bearer ${tokens.access_token}`)).rejects.toMatchObject({
    code: 'invalid_token',
  });
  await elsewhere.app.close();
  world.pass(899_999);
  await use(tokens);
  world.pass(1);
  await expect(use(tokens)).rejects.toMatchObject({ code: 'invalid_token' });
});

test.each(['access_token', 'refresh_token'] as const)('revoking the %s ends the grant', async (which) => {
  const issued = await world.code();
  const tokens = await tokensOf(issued);
  const other = { token: tokens[which], client_id: await world.register() };
  expect((await world.token(other, oauthPaths.revoke)).statusCode).toBe(401);
  await use(tokens);
  const unknown = await world.token({ token: 'mrat_nothing', client_id: issued.clientId }, oauthPaths.revoke);
  expect(unknown.statusCode).toBe(200);
  const revocation = { token: tokens[which], client_id: issued.clientId };
  expect((await world.token(revocation, oauthPaths.revoke)).statusCode).toBe(200);
  await expect(use(tokens)).rejects.toMatchObject({ code: 'invalid_token' });
  expect(await grantsOf(issued.publicKey)).toEqual([]);
});

describe('the database', () => {
  test('contains no key, no token and no token secret', async () => {
    const issued = await world.code();
    const tokens = await tokensOf(issued);
    const dump = JSON.stringify([await rows('oauth_grant'), await rows('oauth_token')], (_name, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('hex') : value,
    );
    const secrets = [issued.code, tokens.access_token, tokens.refresh_token].map((token) =>
      Buffer.from(token.slice(5), 'base64url').subarray(16).toString('hex'),
    );
    expect(dump).toContain(issued.publicKey);
    for (const secret of [...secrets, ...world.keysMade]) expect(dump).not.toContain(secret);
  });

  test.each([
    ['scope = replace(scope, \'"perms":3\', \'"perms":7\')'],
    ["redirect_uri = 'https://thief.example/'"],
    ["resource = 'https://other.example/api/mcp'"],
    ["client = 'ffff'"],
    ["code_challenge = 'abc'"],
    ["account_id = decode(repeat('ad', 32), 'hex')"],
  ])('gives no access when modified by hand: %s', async (change) => {
    const issued = await world.code();
    const tokens = await tokensOf(issued);
    await tables.db.query(`UPDATE oauth_grant SET ${change} WHERE encode(public_key, 'hex') = $1`, [
      issued.publicKey,
    ]);
    await expect(use(tokens)).rejects.toMatchObject({ code: 'invalid_token' });
    expect((await refreshWith(tokens, issued.clientId)).json()).toMatchObject(invalidGrant);
  });

  test('cannot be modified to extend a token or to reset a used one', async () => {
    const issued = await world.code();
    const tokens = await tokensOf(issued);
    await tables.db.query("UPDATE oauth_token SET used = false, expires_at = expires_at + interval '1 hour'");
    await expect(use(tokens)).rejects.toMatchObject({ code: 'invalid_token' });
    const next = await world.code();
    await tokensOf(next);
    await tables.db.query('UPDATE oauth_token SET used = false');
    expect((await world.token(next.exchange)).json()).toMatchObject(invalidGrant);
  });

  test('is purged of ended grants', async () => {
    await tokensOf(await world.code());
    world.pass(29 * 86_400_000);
    const living = await tokensOf(await world.code());
    world.pass(2 * 86_400_000);
    await pruneGrants(tables.db, world.context.now());
    expect(await rows('oauth_grant')).toHaveLength(1);
    expect((await rows('oauth_token')).map(({ kind }) => kind)).toEqual(['refresh']);
    await expect(use(living)).rejects.toMatchObject({ code: 'invalid_token' });
  });
});
