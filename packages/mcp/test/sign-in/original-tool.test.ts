import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { permissions } from '@memrelay/chain/account-bcs';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { launchChromium } from '@memrelay/dev-env/launch-chromium';
import { type PrivateSystem, startPrivateSystem } from '@memrelay/dev-env/private-system';
import { createTestBackend, type TestBackend } from '@memrelay/dev-env/test-backend';
import { newTestKey, type TestKey } from '@memrelay/dev-env/test-owner';
import { AccountOwner } from '@memrelay/sdk/account/account-owner';
import { newPairingCode, readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useMachine } from '../stdio/machine.ts';

/** Compatibility with MemWal's tools: their credential file, and sign-in links in query form. */

const machine = useMachine();
let backend: TestBackend;
let system: PrivateSystem;
let owner: AccountOwner;

beforeAll(async () => {
  backend = await createTestBackend();
  const { databaseUrl, redisUrl } = backend;
  system = await startPrivateSystem({ databaseUrl, ...(redisUrl ? { redisUrl } : {}) });
  const wallet = JSON.parse(await readFile(join(system.dataDir, 'wallet.json'), 'utf8'));
  owner = await AccountOwner.connect({
    serverUrl: system.urls.relayer,
    signer: parsePrivateKey(wallet.privateKey),
  });
});
afterAll(async () => {
  await system?.dispose();
  await backend?.drop();
});

describe('login --from-memwal', () => {
  let theirs: string;
  beforeEach(() => {
    theirs = join(machine.home, '.memwal', 'credentials.json');
  });

  /** A credential file of MemWal's clients, by default with the local system's own key. */
  async function write(change: object = {}, mode = 0o600): Promise<string> {
    const { delegatePublicKey, ...fields } = system.credentials;
    const text = JSON.stringify({
      ...fields,
      delegatePublicKeyHex: delegatePublicKey,
      createdAt: '2026-03-02T10:00:00.000Z',
      version: 1,
      ...change,
    });
    await mkdir(join(machine.home, '.memwal'), { recursive: true });
    await writeFile(theirs, text, { mode });
    return text;
  }

  async function login(...args: string[]): Promise<{ code: number | null; printed: string }> {
    const stdio = machine.start({
      args: ['login', '--from-memwal', ...args],
      env: { MEM_DATA_DIR: system.dataDir },
    });
    let printed = '';
    stdio.child.stdout!.on('data', (part) => (printed += part));
    return { code: await stdio.end(), printed: printed + stdio.stderr() };
  }

  it('imports the key once the chain confirms it, and leaves the file unchanged', async () => {
    const text = await write();
    const { code, printed } = await login();
    expect([code, printed]).toEqual([0, expect.stringContaining(system.credentials.walletAddress)]);
    expect(printed).not.toContain(system.credentials.delegatePrivateKey);
    expect(JSON.parse(await readFile(machine.credentialsPath, 'utf8'))).toEqual({
      ...system.credentials,
      createdAt: '2026-03-02T10:00:00.000Z',
    });
    expect((await stat(machine.credentialsPath)).mode & 0o777).toBe(0o600);
    expect(await readFile(theirs, 'utf8')).toBe(text);
  });

  it('uses the relayer of --relayer, and runs only on request', async () => {
    await write({ relayerUrl: 'http://127.0.0.1:9' });
    expect(await login()).toEqual({ code: 1, printed: expect.stringContaining('cannot be reached') });
    expect(await login('--relayer', system.urls.relayer)).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(machine.credentialsPath, 'utf8')).relayerUrl).toBe(system.urls.relayer);
    await rm(machine.credentialsPath);
    const stdio = machine.start();
    await stdio.open();
    expect((await stdio.call('mem_recall', { query: 'tea' })).text).toContain('No one is signed in');
  });

  it('rejects a missing, open, damaged or foreign file, and keeps the existing credentials', async () => {
    expect(await login()).toEqual({ code: 1, printed: expect.stringContaining(`${theirs} does not exist`) });
    await machine.signIn('https://relayer.example');
    const before = await readFile(machine.credentialsPath, 'utf8');
    const other = newTestKey();
    const { delegatePublicKey, ...ours } = system.credentials;
    const cases: [change: object, says: string, mode?: number][] = [
      [{}, 'chmod 600', 0o644],
      [{ version: 2 }, 'version must be 1'],
      [{ version: '1' }, 'version must be 1'],
      [{ delegatePublicKeyHex: undefined, delegatePublicKey }, 'delegatePublicKeyHex must be 64 hex'],
      [{ delegatePrivateKey: other.privateKey }, 'do not match'],
      [{ delegateAddress: other.address }, 'not the address of the key'],
      [{ accountId: '0x1' }, 'accountId must be 0x and 64 hex'],
      [{ relayerUrl: 'file:///etc' }, 'relayerUrl must be an http or https URL'],
      [{ createdAt: 'yesterday' }, 'createdAt must be'],
      [{ packageId: other.address }, `contract ${other.address}`],
      [{ accountId: other.address }, 'The account does not exist'],
      [{ walletAddress: other.address }, `expected the wallet of its local system, ${ours.walletAddress}`],
      [keyFields(other), 'not registered'],
    ];
    for (const [change, says, mode] of cases) {
      await rm(theirs, { force: true });
      await write(change, mode);
      const { code, printed } = await login();
      expect([code, printed], says).toEqual([1, expect.stringContaining(says)]);
      expect(printed).not.toContain(other.privateKey);
      expect(printed).not.toContain(ours.delegatePrivateKey);
    }
    await writeFile(theirs, `{"delegatePrivateKey": "${other.privateKey}"`);
    expect((await login()).printed).toMatch(/not valid JSON\.\s*$/);
    expect(await readFile(machine.credentialsPath, 'utf8')).toBe(before);
  });
});

const keyFields = ({ privateKey, publicKey, address }: TestKey) => ({
  delegatePrivateKey: privateKey,
  delegatePublicKeyHex: publicKey,
  delegateAddress: address,
});

describe('a link in query form', () => {
  let browser: Browser;
  let page: Page;
  let tool: Server;
  let key: TestKey;
  let received: { path: string; body: Record<string, unknown> }[];
  /** The tool's response to the page's POST */
  let answers: { status: number; readable: boolean };

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    page = await (await browser.newContext()).newPage();
    key = newTestKey();
    received = [];
    answers = { status: 200, readable: true };
    tool = createServer(async (request, response) => {
      const preflight = request.method === 'OPTIONS';
      const cors = preflight || answers.readable ? { 'access-control-allow-origin': '*' } : {};
      response.writeHead(preflight ? 204 : answers.status, { ...cors, 'access-control-allow-headers': '*' });
      let text = '';
      for await (const part of request) text += part;
      if (!preflight) received.push({ path: request.url!, body: JSON.parse(text) });
      response.end();
    });
    await new Promise<void>((resolve) => tool.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await page.context().close();
    tool.close();
  });

  async function open(change: Record<string, string> = {}): Promise<void> {
    const { url, token } = (await readLocalDashboard(system.dataDir))!;
    const query = new URLSearchParams({
      port: String((tool.address() as AddressInfo).port),
      publicKey: key.publicKey,
      delegateAddress: key.address,
      label: 'Older tool',
      relayer: system.urls.relayer,
      state: 'state-0123456789',
      ...change,
    });
    const pairing = newPairingCode(token, new Date(Date.now() + 60_000));
    await page.goto(`${url}/connect/mcp?${query}#pairing=${pairing}`);
  }
  const connect = () => page.getByRole('button', { name: 'Connect' });
  async function consent(): Promise<void> {
    expect(await connect().isDisabled()).toBe(true);
    await page.getByLabel('I have just started the sign-in of').check();
    await connect().click();
  }
  const delegates = async () => (await owner.readAccount(system.credentials.accountId)).delegate_keys;
  const isRegistered = async () => (await delegates()).some(({ address }) => address === key.address);

  it("registers the tool's key with the granted scope, and posts the result with its state", async () => {
    await open();
    await page.getByText('This link uses an older').waitFor();
    expect(page.url()).toBe(`${system.urls.dashboard}/connect/mcp`);
    await consent();
    await page.getByRole('heading', { name: 'You can close this page' }).waitFor();
    const { accountId, packageId, walletAddress, relayerUrl } = system.credentials;
    expect(received).toEqual([
      {
        path: '/',
        body: {
          version: 1,
          state: 'state-0123456789',
          accountId,
          packageId,
          walletAddress,
          delegateAddress: key.address,
          delegatePublicKeyHex: key.publicKey,
          label: 'Older tool',
          relayerUrl,
          createdAt: expect.any(String),
        },
      },
    ]);
    const account = await owner.readAccount(accountId);
    const scope = account.scopes.find((entry) => entry.key === key.address)!.value;
    expect(scope.perms).toBe(permissions.read + permissions.write);
    expect(Number(scope.expires_at_ms)).toBeGreaterThan(Date.now());
    const client = MemRelay.create({
      key: key.privateKey,
      accountId,
      packageId,
      serverUrl: system.urls.relayer,
    });
    await client.rememberAndWait('The older tool was here.');
    expect((await client.recall('older tool')).results[0]?.text).toContain('older tool');
    client.destroy();
  });

  it('revokes the key when the tool rejects the result', async () => {
    answers.status = 400;
    await open();
    await consent();
    await page.getByText('nothing is left on chain').waitFor();
    expect([received.length, await isRegistered()]).toEqual([1, false]);
  });

  it('asks the user if it may not read the response, and revokes the key if they say so', async () => {
    answers.readable = false;
    await open();
    await consent();
    await page.getByRole('button', { name: 'The tool says it worked' }).waitFor();
    expect(await isRegistered()).toBe(true);
    await page.getByRole('button', { name: 'revoke the key' }).click();
    await page.getByText('nothing is left on chain').waitFor();
    expect(await isRegistered()).toBe(false);
  });

  it('registers nothing for an address that does not match the key, and warns of a foreign relayer', async () => {
    await open({ delegateAddress: newTestKey().address });
    await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
    await open({ relayer: 'https://relayer.example' });
    await page.getByText('which is not the relayer of this computer').waitFor();
    await page.getByLabel('I have just started the sign-in of').check();
    expect(await connect().isDisabled()).toBe(true);
    expect([received.length, await isRegistered()]).toEqual([0, false]);
  });
});
