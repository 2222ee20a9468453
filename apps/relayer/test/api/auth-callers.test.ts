import { fullScope } from '@memrelay/chain/account-bcs';
import {
  acceptOwner,
  deactivateAccount,
  offerOwner,
  reactivateAccount,
  removeDelegateKey,
  setDelegateScope,
} from '@memrelay/chain/account-transactions';
import { createChainClient } from '@memrelay/chain/chain-client';
import { executeTransaction } from '@memrelay/chain/execute-transaction';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAccountDirectory } from '../../src/accounts/create-account-directory.ts';
import type { AuthOptions } from '../../src/api/auth/register-auth.ts';
import { createTableNonces } from '../../src/api/rows/table-nonces.ts';
import { silent, startAuthApp } from '../support/auth-app.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { fund, startTestNetwork, type TestNetwork, testKey } from '../support/localnet-process.ts';
import { call } from '../support/signed-request.ts';
import { testAudit } from '../support/test-audit.ts';
import { createUnsteadyFetch } from '../support/unsteady-fetch.ts';

let network: TestNetwork;
let tables: TestDb;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [network, tables] = await Promise.all([startTestNetwork(), databases.at(-1)!.create()]);
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(async () => {
  await Promise.all([network?.stop(), tables?.drop()]);
});

/** A relayer's authentication with its own clock; the feed is polled only when a request requires it. */
async function frontDoor(options: Partial<AuthOptions> & { pollMs?: number } = {}) {
  const unsteady = createUnsteadyFetch();
  const clock = { ms: 0 };
  const started = performance.now();
  const accounts = createAccountDirectory({
    chain: createChainClient({ network: 'localnet', baseUrl: network.url, fetch: unsteady.fetch }),
    packageId: network.info.packageId,
    db: tables.db,
    audit: testAudit,
    log: silent,
    now: () => performance.now() - started + clock.ms,
    pollMs: options.pollMs ?? 3_600_000,
  });
  const nonces = createTableNonces({ db: tables.db, log: silent });
  const { url, app } = await startAuthApp({ accounts, nonces, ...options });
  closers.push(
    () => app.close(),
    () => accounts.close(),
    () => nonces.close(),
  );
  return { url, unsteady, clock, accounts };
}

const error = async (answer: ReturnType<typeof call>) => (await answer).body.error;

describe('the account of a request', () => {
  it('is the one in the header, even if the key belongs to several', async () => {
    const [first, second] = [await network.account(), await network.account()];
    const key = testKey();
    await first.add(key);
    await second.add(key);
    const { url } = await frontDoor();
    for (const { id } of [first, second])
      expect((await call(url, key, { accountId: id })).body.account).toBe(id);
  });

  it('is never one other than that in the header', async () => {
    const [mine, foreign] = [await network.account(), await network.account()];
    const key = testKey();
    await mine.add(key);
    const { url } = await frontDoor({ fallbackAccountId: mine.id });
    expect((await call(url, key)).body.account).toBe(mine.id);
    expect(await error(call(url, key, { accountId: foreign.id }))).toBe('unknown_delegate_key');
    expect(await error(call(url, key, { accountId: `0x${'00'.repeat(32)}` }))).toBe('unknown_delegate_key');
  });

  it('is ambiguous if the header is missing and several accounts list the key', async () => {
    const [first, second] = [await network.account(), await network.account()];
    const key = testKey();
    await first.add(key);
    await second.add(key);
    const { url } = await frontDoor();
    expect(await call(url, key)).toMatchObject({ status: 401, body: { error: 'ambiguous_account' } });
    const hinted = await frontDoor({ fallbackAccountId: second.id });
    expect((await call(hinted.url, key)).body.account).toBe(second.id);
  });

  it('is the only verified one, even if others list the key', async () => {
    const [mine, stranger] = [await network.account(), await network.account()];
    const key = testKey();
    await stranger.add(key);
    await mine.add(key, {});
    const { url } = await frontDoor({ fallbackAccountId: stranger.id });
    expect((await call(url, key)).body.account).toBe(mine.id);
  });

  it('is the hinted one for a key that a stranger lists as well', async () => {
    const [mine, stranger] = [await network.account(), await network.account()];
    const key = testKey();
    await stranger.add(key);
    await mine.add(key);
    const { url } = await frontDoor({ fallbackAccountId: mine.id });
    expect((await call(url, key)).body.account).toBe(mine.id);
  });

  it('is read only a few times for an unknown key, not for every request', async () => {
    const account = await network.account();
    // However long the requests take here, they arrive within the two seconds
    let ms = Date.now();
    const { url, unsteady, accounts } = await frontDoor({ now: () => ms++ });
    // The first poll of the feed queries the chain as well
    await expect.poll(() => accounts.health().ok, { timeout: 20_000 }).toBe(true);
    const key = testKey();
    const before = unsteady.calls;
    for (let i = 0; i < 50; i++)
      expect(await error(call(url, key, { accountId: account.id }))).toBe('unknown_delegate_key');
    expect(unsteady.calls - before).toBeLessThanOrEqual(10);
  });

  it('is read once at a time for many unknown keys', async () => {
    const account = await network.account();
    const { url, unsteady, accounts } = await frontDoor();
    await expect.poll(() => accounts.health().ok, { timeout: 20_000 }).toBe(true);
    const before = unsteady.calls;
    const refused = Array.from({ length: 100 }, () => error(call(url, testKey(), { accountId: account.id })));
    expect(new Set(await Promise.all(refused))).toEqual(new Set(['unknown_delegate_key']));
    expect(unsteady.mostAtOnce).toBe(1);
    expect(unsteady.calls - before).toBeLessThan(50);
  });

  it('accepts a key that was added right after another read of the account, and after a rejection', async () => {
    const account = await network.account();
    const first = testKey();
    await account.add(first);
    const { url } = await frontDoor();
    for (let i = 0; i < 5; i++) {
      const key = testKey();
      const status = async () => (await call(url, key, { accountId: account.id })).status;
      expect(await status()).toBe(401);
      await account.add(key);
      // Reads the account, as any request may: its result must not be reused
      const [, used] = await Promise.all([call(url, testKey(), { accountId: account.id }), status()]);
      expect(used).toBe(200);
    }
  });

  it('is found without a hint right after the key was added, and after a rejection', async () => {
    const { url } = await frontDoor();
    const key = testKey();
    const account = await network.account();
    expect(await error(call(url, key))).toBe('unknown_delegate_key');
    await account.add(key);
    expect((await call(url, key)).body.account).toBe(account.id);
  });

  it("is the one that verified the key a moment ago, not a stranger's that was seen earlier", async () => {
    const [mine, stranger] = [await network.account(), await network.account()];
    const key = testKey();
    const { url } = await frontDoor();
    await stranger.add(key);
    expect((await call(url, key)).body.account).toBe(stranger.id);
    await mine.add(key, {});
    expect((await call(url, key)).body.account).toBe(mine.id);
  });

  it('accepts a key as soon as it was added, even if it was just rejected', async () => {
    const account = await network.account();
    // A clock that advances only with the change: the cache of unknown keys never expires
    let nowMs = Date.now();
    const { url } = await frontDoor({ pollMs: 50, now: () => nowMs });
    const key = testKey();
    expect(await error(call(url, key, { accountId: account.id }))).toBe('unknown_delegate_key');
    await account.add(key);
    nowMs += 1;
    await vi.waitFor(
      async () => expect((await call(url, key, { accountId: account.id })).status).toBe(200),
      20_000,
    );
  });
});

describe('a delegate', () => {
  it('is rejected within 5 s of its removal', async () => {
    const account = await network.account();
    const key = testKey();
    await account.add(key);
    const { url } = await frontDoor({ pollMs: 1_000 });
    expect((await call(url, key, { accountId: account.id })).status).toBe(200);
    await account.execute(removeDelegateKey(network.info.packageId, account.id, key.publicKey));
    const removedAt = performance.now();
    await vi.waitFor(
      async () => expect(await error(call(url, key, { accountId: account.id }))).toBe('unknown_delegate_key'),
      { timeout: 5_000, interval: 50 },
    );
    expect(performance.now() - removedAt).toBeLessThan(5_000);
  });

  it('is rejected from the millisecond of its expiry on', async () => {
    const account = await network.account();
    const key = testKey();
    // Within what the clock of the nonce store allows
    const expiresAtMs = Date.now() + 240_000;
    await account.add(key, { expires_at_ms: BigInt(expiresAtMs) });
    let nowMs = expiresAtMs - 1;
    const { url } = await frontDoor({ now: () => nowMs });
    const signed = () => call(url, key, { accountId: account.id, timestamp: Math.floor(nowMs / 1000) });
    expect((await signed()).status).toBe(200);
    nowMs = expiresAtMs;
    expect(await signed()).toMatchObject({ status: 401, body: { error: 'delegate_expired' } });
  });

  it('is rejected while its account is deactivated, and accepted after reactivation', async () => {
    const account = await network.account();
    const key = testKey();
    await account.add(key);
    const { url, clock } = await frontDoor();
    await account.execute(deactivateAccount(network.info.packageId, account.id));
    expect(await call(url, key, { accountId: account.id })).toMatchObject({
      status: 401,
      body: { error: 'account_inactive' },
    });
    await account.execute(reactivateAccount(network.info.packageId, account.id));
    clock.ms += 5_000;
    expect((await call(url, key, { accountId: account.id })).status).toBe(200);
  });

  it('gets insufficient_scope without the permission or in another namespace', async () => {
    const account = await network.account();
    const key = testKey();
    const ones = new Uint8Array(16).fill(1);
    await account.add(key, { perms: 3, all_namespaces: false, tags: [ones] });
    const { url, clock } = await frontDoor();
    const write = () => call(url, key, { path: '/write', accountId: account.id });
    expect((await write()).status).toBe(200);
    const narrower = [
      { ...fullScope, perms: 1 },
      { ...fullScope, all_namespaces: false, tags: [new Uint8Array(16).fill(2)] },
      { ...fullScope, all_namespaces: false },
      { ...fullScope, min_epoch: 1_000n },
    ];
    for (const scope of narrower) {
      await account.execute(setDelegateScope(network.info.packageId, account.id, key.address, scope));
      clock.ms += 5_000;
      const answer = await write();
      expect(answer).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
      expect(answer.headers['x-account-id']).toBe(account.id);
    }
  });

  it('of the previous owner is rejected after a change of owner', async () => {
    const account = await network.account();
    const key = testKey();
    await account.add(key);
    const { url, clock } = await frontDoor();
    expect((await call(url, key, { accountId: account.id })).status).toBe(200);
    const heir = Ed25519Keypair.generate();
    await fund(network.url, heir.toSuiAddress());
    await account.execute(offerOwner(network.info.packageId, account.id, heir.toSuiAddress()));
    await executeTransaction(network.chain, acceptOwner(network.info.packageId, account.id), heir);
    clock.ms += 5_000;
    expect(await error(call(url, key, { accountId: account.id }))).toBe('unknown_delegate_key');
  });
});

describe('while the chain is unreachable', () => {
  it('accepts a known delegate for 60 s, then responds 503', async () => {
    const account = await network.account();
    const key = testKey();
    await account.add(key);
    const { url, unsteady, clock } = await frontDoor();
    expect((await call(url, key, { accountId: account.id })).status).toBe(200);
    unsteady.mode = 'refusing';
    clock.ms += 59_000;
    expect((await call(url, key, { accountId: account.id })).status).toBe(200);
    clock.ms += 1_500;
    const answer = await call(url, key, { accountId: account.id });
    expect(answer).toMatchObject({ status: 503, body: { error: 'auth_unavailable' } });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('responds 503 to an unknown key, never 401', async () => {
    const account = await network.account();
    const key = testKey();
    await account.add(key);
    const { url, unsteady, clock } = await frontDoor();
    expect((await call(url, key, { accountId: account.id })).status).toBe(200);
    unsteady.mode = 'refusing';
    clock.ms += 5_000;
    for (const parts of [{ accountId: account.id }, { accountId: `0x${'12'.repeat(32)}` }, {}])
      expect(await call(url, testKey(), parts)).toMatchObject({
        status: 503,
        body: { error: 'auth_unavailable' },
      });
  });
});

describe('limits', () => {
  it('block an address after too many failures, and never count successful requests', async () => {
    const account = await network.account();
    const key = testKey();
    await account.add(key);
    const { url } = await frontDoor({ failuresPerMinute: 3 });
    const another = testKey();
    await account.add(another);
    for (let i = 0; i < 10; i++) expect((await call(url, key, { accountId: account.id })).status).toBe(200);
    const good = () => call(url, another, { accountId: account.id });
    for (let i = 0; i < 3; i++)
      expect(await error(call(url, key, { body: '1' }, { 'x-nonce': testNonce }))).toBe('invalid_signature');
    const refused = await good();
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    onTestFinished(() => clock.mockRestore());
    expect((await good()).status).toBe(200);
  });

  it("do not count the server's own failures", async () => {
    const account = await network.account();
    const key = testKey();
    await account.add(key);
    const { url, unsteady, clock } = await frontDoor({ failuresPerMinute: 3 });
    unsteady.mode = 'refusing';
    for (let i = 0; i < 5; i++)
      expect(await error(call(url, key, { accountId: account.id }))).toBe('auth_unavailable');
    unsteady.mode = 'steady';
    clock.ms += 1_001;
    expect((await call(url, key, { accountId: account.id })).status).toBe(200);
  });

  it('of a key are applied after the nonce was recorded', async () => {
    const account = await network.account();
    const key = testKey();
    await account.add(key);
    const asked: string[] = [];
    const { url } = await frontDoor({ limitKey: (caller) => void asked.push(caller.publicKey) });
    const parts = { accountId: account.id, nonce: testNonce };
    await call(url, key, parts);
    expect(await error(call(url, key, parts))).toBe('nonce_replayed');
    expect(asked).toEqual([key.publicKey]);
  });
});

const testNonce = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
