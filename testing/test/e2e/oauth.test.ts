import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Account } from '@memrelay/chain/account-bcs';
import { readAccount } from '@memrelay/chain/account-reader';
import { createChainClient } from '@memrelay/chain/chain-client';
import { toHex } from '@memrelay/protocol/bytes';
import { readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { pairingLink } from 'memrelay/commands/pair';
import { Client as PgClient } from 'pg';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchChromium } from '../../src/launch-chromium.ts';
import { type PrivateSystem, startPrivateSystem } from '../../src/private-system.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';

/**
 * Tests a remote host that connects with a URL: discovery, registration and PKCE of the official client, and the owner's
 * consent in a browser.
 */

const patience = 20_000;
let backend: TestBackend;
let system: PrivateSystem;
let browser: Browser;
let page: Page;
/** The host's server for the redirect of the browser */
let callback: Server;
let redirectUrl: string;
const clients: Client[] = [];

beforeAll(async () => {
  backend = await createTestBackend();
  const { databaseUrl, redisUrl } = backend;
  system = await startPrivateSystem({ databaseUrl, ...(redisUrl ? { redisUrl } : {}) });
  browser = await launchChromium();
  callback = createServer((_request, response) => response.end('You can close this page.'));
  callback.listen(0, '127.0.0.1');
  await once(callback, 'listening');
  redirectUrl = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
});
afterAll(async () => {
  await browser?.close();
  callback?.closeAllConnections();
  callback?.close();
  await system?.dispose();
  await backend?.drop();
});
beforeEach(async () => {
  page = await (await browser.newContext()).newPage();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await page.context().close();
});

interface Saved {
  information: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
  tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
  discovered: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>;
  verifier?: string;
  state?: string;
  /** The address that the host would open in the browser */
  authorizationUrl?: URL;
}

/** A host's stored OAuth state, with the provider that the official client expects. */
function hostNamed(name: string): { saved: Saved; provider: OAuthClientProvider } {
  const saved: Saved = { information: undefined, tokens: undefined, discovered: undefined };
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: name, redirect_uris: [redirectUrl] },
    state() {
      saved.state = randomUUID();
      return saved.state;
    },
    clientInformation: () => saved.information,
    saveClientInformation(information) {
      saved.information = information;
    },
    tokens: () => saved.tokens,
    saveTokens(tokens) {
      saved.tokens = tokens;
    },
    redirectToAuthorization(url) {
      saved.authorizationUrl = url;
    },
    saveCodeVerifier(verifier) {
      saved.verifier = verifier;
    },
    codeVerifier: () => saved.verifier!,
    saveDiscoveryState(discovered) {
      saved.discovered = discovered;
    },
    discoveryState: () => saved.discovered,
    invalidateCredentials() {
      saved.tokens = undefined;
    },
  };
  return { saved, provider };
}

function transportOf(provider: OAuthClientProvider): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(`${system.urls.relayer}/api/mcp`), {
    authProvider: provider,
  });
}

async function connect(provider: OAuthClientProvider): Promise<Client> {
  const client = new Client({ name: 'a-host', version: '1.0.0' });
  clients.push(client);
  await client.connect(transportOf(provider));
  return client;
}

/** Opens the URL that the host requests, in a tab that may use the wallet. */
async function openConsent({ authorizationUrl }: Saved): Promise<void> {
  await page.goto(pairingLink((await readLocalDashboard(system.dataDir))!).link);
  await page.getByRole('heading', { name: 'Your memory' }).waitFor();
  await page.goto(authorizationUrl!.href);
  await page.getByRole('button', { name: 'Connect' }).waitFor();
}

async function cameBack(): Promise<URLSearchParams> {
  await page.waitForURL(`${redirectUrl}?**`);
  return new URL(page.url()).searchParams;
}

async function signIn(host: ReturnType<typeof hostNamed>): Promise<Client> {
  const transport = transportOf(host.provider);
  const waiting = new Client({ name: 'a-host', version: '1.0.0' });
  clients.push(waiting);
  await expect(waiting.connect(transport)).rejects.toThrow(UnauthorizedError);
  await openConsent(host.saved);
  await page.getByRole('button', { name: 'Connect' }).click();
  const answer = await cameBack();
  expect(answer.get('state')).toBe(host.saved.state);
  await transport.finishAuth(answer);
  return connect(host.provider);
}

async function account(): Promise<Account> {
  const chain = createChainClient({ network: 'localnet', baseUrl: system.urls.localnet });
  const { packageId, accountId } = system.credentials;
  return (await readAccount(chain, packageId, accountId))!.account;
}

const textOf = (result: unknown): string => JSON.stringify(result);
const remember = (client: Client, text: string) =>
  client.callTool({ name: 'mem_remember', arguments: { text } });
const recall = (client: Client, query: string) =>
  client.callTool({ name: 'mem_recall', arguments: { query } });

test('connects a host with a URL and one click, remembers, recalls and refreshes; revoking the key ends access', async () => {
  const host = hostNamed('Claude “the host”');
  const client = await signIn(host);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('mem_remember');
  await remember(client, 'The lighthouse keeper is called Ottilie.');
  await expect
    .poll(async () => textOf(await recall(client, 'Who keeps the lighthouse?')), { timeout: patience })
    .toContain('Ottilie');

  const { delegate_keys, scopes } = await account();
  const delegate = delegate_keys.find(({ label }) => label === 'Claude “the host”')!;
  expect(delegate.proven).toBe(true);
  const scope = scopes.find(({ key }) => key === delegate.address)!.value;
  expect(scope).toMatchObject({ perms: 3, all_namespaces: true });
  const days = (Number(scope.expires_at_ms) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(29);
  expect(days).toBeLessThan(31);

  // The host's access token has expired: the client refreshes by itself
  const before = host.saved.tokens!;
  host.saved.tokens = { ...before, access_token: `mrat_${'A'.repeat(64)}` };
  expect(textOf(await recall(await connect(host.provider), 'lighthouse'))).toContain('Ottilie');
  expect(host.saved.tokens.access_token).not.toBe(before.access_token);
  expect(host.saved.tokens.refresh_token).not.toBe(before.refresh_token);

  if (backend.name === 'postgres') await expectNoKey(toHex(Uint8Array.from(delegate.public_key)), host.saved);

  await page.goto(`${system.urls.dashboard}/keys`);
  const row = page.getByRole('listitem').filter({ hasText: 'the host' });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  const accessToken = host.saved.tokens.access_token;
  const direct = () =>
    fetch(`${system.urls.relayer}/api/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${accessToken}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
  await expect.poll(async () => (await direct()).status, { timeout: 5_000 }).toBe(401);
  expect((await direct()).headers.get('www-authenticate')).toContain(
    `resource_metadata="${system.urls.relayer}/.well-known/oauth-protected-resource/api/mcp"`,
  );
  // Its refresh token is rejected as well: the host has to ask the owner again
  const asked = host.saved.authorizationUrl;
  await expect(connect(host.provider)).rejects.toThrow(UnauthorizedError);
  expect(host.saved.authorizationUrl).not.toBe(asked);
});

test('returns access_denied to the host on refusal, and creates no key', async () => {
  const host = hostNamed('Somebody');
  await expect(connect(host.provider)).rejects.toThrow(UnauthorizedError);
  const { delegate_keys: before } = await account();
  await openConsent(host.saved);
  await page.getByRole('button', { name: 'Decline' }).click();
  const answer = await cameBack();
  expect(answer.get('error')).toBe('access_denied');
  expect(answer.get('state')).toBe(host.saved.state);
  expect(answer.get('iss')).toBe(system.urls.relayer);
  expect((await account()).delegate_keys).toEqual(before);
});

test('asks an unpaired tab to pair first, and rejects a forged request', async () => {
  const host = hostNamed('<b>bold</b>');
  await expect(connect(host.provider)).rejects.toThrow(UnauthorizedError);
  await page.goto(host.saved.authorizationUrl!.href);
  await page.getByRole('heading', { name: 'Let this browser use your wallet' }).waitFor();
  expect(page.url()).toBe(`${system.urls.dashboard}/connect/oauth`);
  await page.getByLabel('Pairing link').fill(pairingLink((await readLocalDashboard(system.dataDir))!).link);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('<b>bold</b>').waitFor();
  await page.goto(`${system.urls.dashboard}/connect/oauth#request=forged`);
  await page.getByRole('heading', { name: 'cannot be processed' }).waitFor();
});

/** Expects that the database contains the public key, but no secret of a token. */
async function expectNoKey(publicKey: string, { tokens }: Saved): Promise<void> {
  const database = new PgClient({ connectionString: backend.databaseUrl });
  await database.connect();
  const { rows } = await database.query(
    'SELECT g::text AS grant_row, t::text AS token_row FROM oauth_grant g JOIN oauth_token t ON t.grant_id = g.id',
  );
  await database.end();
  const dump = JSON.stringify(rows);
  expect(dump).toContain(publicKey);
  for (const token of [tokens!.access_token, tokens!.refresh_token!]) {
    const secret = Buffer.from(token.slice(5), 'base64url').subarray(16).toString('hex');
    expect(dump).not.toContain(secret);
  }
}
