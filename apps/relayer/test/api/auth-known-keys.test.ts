import { createChainClient } from '@memrelay/chain/chain-client';
import Fastify from 'fastify';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAccountDirectory } from '../../src/accounts/create-account-directory.ts';
import { warnOfForwarded } from '../../src/api/auth/forwarded-warning.ts';
import type { AuthOptions } from '../../src/api/auth/register-auth.ts';
import { createTableNonces } from '../../src/api/rows/table-nonces.ts';
import { silent, startAuthApp } from '../support/auth-app.ts';
import { databases, type TestDb } from '../support/databases.ts';
import {
  startTestNetwork,
  type TestAccount,
  type TestNetwork,
  testKey,
} from '../support/localnet-process.ts';
import { type Answer, call, send } from '../support/signed-request.ts';
import { testAudit } from '../support/test-audit.ts';

/**
 * Attacks from an address that honest clients share: 600 failing requests, as many as an attacker may send per
 * minute.
 */

let network: TestNetwork;
let tables: TestDb;
let account: TestAccount;
const key = testKey();
const newcomer = testKey();
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [network, tables] = await Promise.all([startTestNetwork(), databases.at(-1)!.create()]);
  account = await network.account();
  await account.add(key);
  await account.add(newcomer);
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(async () => {
  await Promise.all([network?.stop(), tables?.drop()]);
});

async function relayer(options: Partial<AuthOptions> = {}): Promise<string> {
  const accounts = createAccountDirectory({
    chain: createChainClient({ network: 'localnet', baseUrl: network.url }),
    packageId: network.info.packageId,
    db: tables.db,
    audit: testAudit,
    log: silent,
    pollMs: 3_600_000,
  });
  const nonces = createTableNonces({ db: tables.db, log: silent });
  const { url, app } = await startAuthApp({ accounts, nonces, failuresPerMinute: 60, ...options });
  closers.push(
    () => app.close(),
    () => accounts.close(),
    () => nonces.close(),
  );
  return url;
}

const good = (url: string, signer = key, body = '{}') => call(url, signer, { accountId: account.id, body });
/** With an invalid signature and a public key of the attacker's choice */
const bad = (url: string, publicKey: string, body = '{}', headers: Record<string, string> = {}) =>
  send(
    url,
    {
      'x-public-key': publicKey,
      'x-signature': '00'.repeat(64),
      'x-timestamp': String(Math.floor(Date.now() / 1000)),
      'x-nonce': crypto.randomUUID(),
      ...headers,
    },
    { body },
  );
async function attack(count: number, one: () => Promise<Answer>): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const attacker = async (): Promise<void> => {
    for (let i = 0; i < count / 20; i++) {
      const { status } = await one();
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 20 }, attacker));
  return counts;
}
const junk = testKey().publicKey;
/** For a relayer with a tenth of the budget, which takes less time */
const spend = (url: string) => attack(60, () => bad(url, junk));

describe('an address that sends 600 junk requests', () => {
  it('still has its known keys served, while others get 429 with Retry-After', async () => {
    const url = await relayer({ failuresPerMinute: undefined });
    expect((await good(url)).status).toBe(200);
    expect(await attack(620, () => bad(url, testKey().publicKey))).toEqual(
      new Map([
        [401, 600],
        [429, 20],
      ]),
    );
    for (let i = 0; i < 50; i++) expect((await good(url)).status).toBe(200);
    expect((await good(url, key, JSON.stringify('x'.repeat(1_000_000)))).status).toBe(200);
    // With its hex in either letter case
    const upper = { ...key, publicKey: key.publicKey.toUpperCase() };
    expect((await good(url, upper)).status).toBe(200);
    for (const stranger of [newcomer, testKey()]) {
      const refused = await good(url, stranger);
      expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    }
  });

  it('can only cause a limited number of failed checks of a known key, which is served again a second later', async () => {
    const known = { keyRequests: { burst: 50, perSecond: 20 } };
    const url = await relayer({ known });
    expect((await good(url)).status).toBe(200);
    await spend(url);
    const started = performance.now();
    const counts = await attack(400, () => bad(url, key.publicKey));
    const seconds = (performance.now() - started) / 1000;
    expect(counts.get(401)).toBeGreaterThanOrEqual(50);
    expect(counts.get(401)).toBeLessThanOrEqual(50 + Math.ceil(20 * seconds));
    expect(counts.get(429)).toBe(400 - counts.get(401)!);
    await expect.poll(async () => (await good(url)).status, { timeout: 10_000 }).toBe(200);
  });

  it('can only cause a limited volume of body reads for a known key, without blocking its small requests', async () => {
    const mib = 1024 * 1024;
    const known = { keyBytes: { burst: 5 * mib, perSecond: 1 } };
    const url = await relayer({ known });
    expect((await good(url)).status).toBe(200);
    await spend(url);
    const body = JSON.stringify('x'.repeat(mib));
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await bad(url, key.publicKey, body)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const large = await good(url, key, body);
    expect(large).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    expect(Number(large.headers['retry-after'])).toBeGreaterThan(0);
    expect((await good(url)).status).toBe(200);
  });

  it('cannot block a key by announcing bodies that it does not send', async () => {
    const url = await relayer({
      bodyDeadlineMs: 5_000,
      known: { keyBytes: { burst: 4_000_000, perSecond: 1 } },
    });
    expect((await good(url)).status).toBe(200);
    await spend(url);
    const stalled = Array.from({ length: 10 }, () =>
      bad(url, key.publicKey, '{', { 'content-length': '2000000' }),
    );
    await attack(20, () => bad(url, key.publicKey));
    expect((await good(url, key, JSON.stringify('x'.repeat(1_000_000)))).status).toBe(200);
    await Promise.all(stalled);
  });

  it('is counted by each relayer separately', async () => {
    const [first, second] = [await relayer(), await relayer()];
    expect((await good(first)).status).toBe(200);
    await spend(first);
    expect((await good(first)).status).toBe(200);
    expect((await good(second, newcomer)).status).toBe(200);
    await spend(second);
    expect((await good(second)).status).toBe(429);
    expect((await good(second, newcomer)).status).toBe(200);
  });
});

describe('behind a proxy that is not configured', () => {
  it.each(['x-forwarded-for', 'forwarded'])('logs one warning for a request with %s', async (header) => {
    const lines: { level: number; msg: string }[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const app = Fastify();
    warnOfForwarded(app, 0, log);
    app.get('/', async () => 'ok');
    await app.inject('/');
    expect(lines).toEqual([]);
    for (let i = 0; i < 3; i++) await app.inject({ url: '/', headers: { [header]: '203.0.113.9' } });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 40, msg: expect.stringContaining('TRUSTED_PROXY_HOPS') });
    expect(JSON.stringify(lines)).not.toContain('203.0.113.9');
    await app.close();
  });

  it('logs nothing when proxies are configured', async () => {
    const lines: string[] = [];
    const app = Fastify();
    warnOfForwarded(app, 1, pino({}, { write: (line: string) => void lines.push(line) }));
    app.get('/', async () => 'ok');
    await app.inject({ url: '/', headers: { 'x-forwarded-for': '203.0.113.9' } });
    expect(lines).toEqual([]);
    await app.close();
  });
});
