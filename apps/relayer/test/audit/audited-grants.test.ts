import { oauthPaths } from '@memrelay/protocol/oauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hexToBytes } from '../../src/base/db/hex.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { accountId, type Issued, type OAuthWorld, startOAuthWorld } from '../support/oauth-world.ts';
import { testAudit } from '../support/test-audit.ts';

/** Sign-ins of the tool server in the audit log of the account that they were granted for. */

let tables: TestDb;
let world: OAuthWorld;
beforeAll(async () => {
  tables = await databases[0]!.create();
  world = await startOAuthWorld(tables);
});
afterAll(async () => {
  await world?.app.close();
  await tables?.drop();
});

async function recordedFor({ publicKey }: Issued): Promise<string[]> {
  const { entries } = await testAudit.read(tables.db, hexToBytes(accountId), { limit: 500 });
  const own = entries.filter(({ detail }) => detail?.public_key === publicKey);
  return own.map(({ action, detail }) => [action, detail?.reason].filter(Boolean).join(' '));
}
const refreshWith = (issued: Issued, token: string) =>
  world.token({ grant_type: 'refresh_token', client_id: issued.clientId, refresh_token: token });

test('records the consent, the first tokens and the revocation by the client, but no refresh', async () => {
  const issued = await world.code();
  const { refresh_token } = (await world.token(issued.exchange)).json<{ refresh_token: string }>();
  const next = (await refreshWith(issued, refresh_token)).json<{ refresh_token: string }>();
  expect(await recordedFor(issued)).toEqual(['sign_in.granted', 'sign_in.completed']);
  for (let times = 0; times < 2; times++) await world.token({ token: next.refresh_token }, oauthPaths.revoke);
  expect(await recordedFor(issued)).toEqual([
    'sign_in.granted',
    'sign_in.completed',
    'sign_in.revoked client',
  ]);
});

test('records that a token was used twice, and that a delegate key was removed', async () => {
  const twice = await world.code();
  await world.token(twice.exchange);
  await world.token(twice.exchange);
  expect((await recordedFor(twice)).at(-1)).toBe('sign_in.revoked misuse');
  const removed = await world.code();
  const { refresh_token } = (await world.token(removed.exchange)).json<{ refresh_token: string }>();
  world.delegates.delete(removed.publicKey);
  await refreshWith(removed, refresh_token);
  expect((await recordedFor(removed)).at(-1)).toBe('sign_in.revoked key');
});

test('contains no token, code or key', async () => {
  const issued = await world.code();
  const answer = (await world.token(issued.exchange)).body;
  const { entries } = await testAudit.read(tables.db, hexToBytes(accountId), { limit: 500 });
  const text = JSON.stringify(entries);
  for (const secret of [
    issued.code,
    issued.verifier,
    ...world.keysMade,
    ...Object.values(JSON.parse(answer)),
  ])
    if (String(secret).length > 20) expect(text).not.toContain(secret);
});
