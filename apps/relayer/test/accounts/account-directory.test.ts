import {
  addDelegateKey,
  deactivateAccount,
  removeDelegateKey,
  rotateKeyEpoch,
} from '@memrelay/chain/account-transactions';
import { createChainClient } from '@memrelay/chain/chain-client';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AccountDirectory } from '../../src/accounts/account-directory.ts';
import { createAccountDirectory } from '../../src/accounts/create-account-directory.ts';
import { recordAccount } from '../../src/accounts/rows/account-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';
import { fund, startTestNetwork, type TestNetwork, testKey } from '../support/localnet-process.ts';
import { testAudit } from '../support/test-audit.ts';
import { createUnsteadyFetch } from '../support/unsteady-fetch.ts';

/** The feed is not polled within a test */
const never = 3_600_000;

let network: TestNetwork;
let tables: TestDb;
const open: AccountDirectory[] = [];

/** A separate directory with a clock and a chain connection that the test controls. */
function directoryWith(options: { cacheMs?: number; pollMs?: number } = {}) {
  const unsteady = createUnsteadyFetch();
  const clock = { ms: 0 };
  const started = performance.now();
  const directory = createAccountDirectory({
    chain: createChainClient({ network: 'localnet', baseUrl: network.url, fetch: unsteady.fetch }),
    packageId: network.info.packageId,
    db: tables.db,
    audit: testAudit,
    log: pino({ enabled: false }),
    now: () => performance.now() - started + clock.ms,
    ...options,
  });
  open.push(directory);
  return { directory, unsteady, clock };
}

describe.each(databases)('on $name', ({ create }) => {
  beforeAll(async () => {
    [network, tables] = await Promise.all([startTestNetwork(), create()]);
  });
  afterEach(async () => {
    for (const directory of open.splice(0)) await directory.close();
  });
  afterAll(async () => {
    await Promise.all([network?.stop(), tables?.drop()]);
  });

  describe('reading an account', () => {
    it('returns its on-chain state, for an id in any letter case', async () => {
      const account = await network.account();
      const key = testKey();
      await account.add(key, {
        perms: 1,
        all_namespaces: false,
        tags: [new Uint8Array(16).fill(7)],
        min_epoch: 0n,
      });
      const { directory } = directoryWith();
      const snapshot = await directory.account(`0x${account.id.slice(2).toUpperCase()}`);
      expect(snapshot).toMatchObject({
        accountId: account.id,
        origin: account.owner.toSuiAddress(),
        owner: account.owner.toSuiAddress(),
        active: true,
        keyEpoch: 0,
        recoveryPk: undefined,
        stale: false,
      });
      expect(snapshot!.delegates).toEqual([
        {
          publicKey: key.publicKey,
          address: key.address,
          label: 'test',
          createdAtMs: expect.any(Number),
          proven: true,
          scope: { perms: 1, allNamespaces: false, tags: ['07'.repeat(16)], minEpoch: 0, expiresAtMs: 0 },
        },
      ]);
    });

    it("knows no account under the zero id, the registry's id or a coin's id", async () => {
      const { directory } = directoryWith();
      const owner = testKey();
      await fund(network.url, owner.address);
      const { objects } = await network.chain.sui.core.listOwnedObjects({ owner: owner.address });
      for (const id of [`0x${'ab'.repeat(32)}`, network.info.registryId, objects[0]!.objectId])
        expect(await directory.account(id)).toBeUndefined();
    });

    it('queries the chain once for many callers, and not again while the result is fresh', async () => {
      const account = await network.account();
      const { directory, unsteady, clock } = directoryWith({ pollMs: never });
      await directory.accountsOf(testKey().publicKey);
      clock.ms += 4_001;
      const before = unsteady.calls;
      const answers = await Promise.all(Array.from({ length: 50 }, () => directory.account(account.id)));
      expect(new Set(answers).size).toBe(1);
      await directory.account(account.id);
      expect(unsteady.calls - before).toBe(1);
    });

    it('queries once for an unknown id while that result is fresh', async () => {
      const { directory, unsteady } = directoryWith({ pollMs: never });
      await directory.accountsOf(testKey().publicKey);
      const before = unsteady.calls;
      for (let i = 0; i < 5; i++) await directory.account(`0x${'cd'.repeat(32)}`);
      expect(unsteady.calls - before).toBe(1);
    });
  });

  describe('a change on chain', () => {
    it('is seen within 5 s without the event feed', async () => {
      const account = await network.account();
      const key = testKey();
      await account.add(key);
      const { directory, clock } = directoryWith({ pollMs: never });
      await directory.accountsOf(testKey().publicKey);
      expect((await directory.account(account.id))!.delegates).toHaveLength(1);
      await account.execute(removeDelegateKey(network.info.packageId, account.id, key.publicKey));
      clock.ms += 4_001;
      expect((await directory.account(account.id))!.delegates).toHaveLength(0);
    });

    it('is seen through the event feed without waiting for the cache, and reported to listeners', async () => {
      const account = await network.account();
      const { directory } = directoryWith({ cacheMs: 1_000_000, pollMs: 50 });
      const changes: string[] = [];
      directory.onChange((id) => changes.push(id));
      expect((await directory.account(account.id))!.active).toBe(true);
      await account.execute(deactivateAccount(network.info.packageId, account.id));
      await vi.waitFor(async () => expect((await directory.account(account.id))!.active).toBe(false), 20_000);
      expect(changes).toContain(account.id);
    });

    it('is reported to every listener, even after one of them failed', async () => {
      const account = await network.account();
      const { directory } = directoryWith({ pollMs: 50 });
      const changes: string[] = [];
      directory.onChange(() => {
        throw new Error('a listener that fails');
      });
      directory.onChange((id) => changes.push(id));
      await account.execute(rotateKeyEpoch(network.info.packageId, account.id));
      await vi.waitFor(() => expect(changes).toContain(account.id), 20_000);
      await vi.waitFor(() => expect(directory.health()).toEqual({ ok: true }), 20_000);
    });

    it('is seen when the caller asks for a fresher result', async () => {
      const account = await network.account();
      const { directory, clock } = directoryWith({ pollMs: never });
      await directory.accountsOf(testKey().publicKey);
      await directory.account(account.id);
      await account.execute(rotateKeyEpoch(network.info.packageId, account.id));
      clock.ms += 600;
      expect((await directory.account(account.id))!.keyEpoch).toBe(0);
      expect((await directory.account(account.id, { maxAgeMs: 500 }))!.keyEpoch).toBe(1);
    });
  });

  describe('while the chain is unreachable', () => {
    it('serves the cache for 60 s, marked as stale, and nothing after that', async () => {
      const account = await network.account();
      const { directory, unsteady, clock } = directoryWith({ pollMs: never });
      await directory.account(account.id);
      unsteady.mode = 'refusing';
      expect((await directory.account(account.id))!.stale).toBe(false);
      clock.ms += 4_500;
      expect((await directory.account(account.id))!.stale).toBe(true);
      expect(directory.health().ok).toBe(false);
      clock.ms += 55_000;
      expect((await directory.account(account.id))!.stale).toBe(true);
      clock.ms += 1_000;
      await expect(directory.account(account.id)).rejects.toMatchObject({ code: 'auth_unavailable' });
      unsteady.mode = 'steady';
      clock.ms += 1_001;
      expect((await directory.account(account.id))!.stale).toBe(false);
    });

    it('returns auth_unavailable for an unknown account, never "not found"', async () => {
      const account = await network.account();
      const { directory, unsteady } = directoryWith({ pollMs: never });
      unsteady.mode = 'refusing';
      await expect(directory.account(account.id)).rejects.toMatchObject({ code: 'auth_unavailable' });
      await expect(directory.accountsOf(testKey().publicKey)).rejects.toMatchObject({
        code: 'auth_unavailable',
      });
    });
  });

  describe('a full node that lags behind', () => {
    it('never restores an older state, even after a restart', async () => {
      const account = await network.account();
      const lagging = directoryWith({ pollMs: never });
      await lagging.directory.account(account.id);
      lagging.unsteady.mode = 'objects frozen';
      await account.execute(rotateKeyEpoch(network.info.packageId, account.id));
      const current = directoryWith({ pollMs: never });
      expect((await current.directory.account(account.id))!.keyEpoch).toBe(1);
      lagging.clock.ms += 60_001;
      await expect(lagging.directory.account(account.id)).rejects.toMatchObject({ code: 'auth_unavailable' });

      const restarted = directoryWith({ pollMs: never });
      const old = { ...(await current.directory.account(account.id))!, keyEpoch: 0 };
      old.objectVersion -= 1n;
      expect(await recordAccount(tables.db, old)).toBe('outdated');
      expect((await restarted.directory.account(account.id))!.keyEpoch).toBe(1);
    });
  });

  describe('the delegate table', () => {
    it('lists a key in each of its accounts, verified ones first, and drops a removed one', async () => {
      const [first, second] = [await network.account(), await network.account()];
      const key = testKey();
      await first.add(key);
      await second.add(key, {});
      const { directory } = directoryWith({ pollMs: 50 });
      await vi.waitFor(async () => expect(await directory.accountsOf(key.publicKey)).toHaveLength(2), 20_000);
      expect(await directory.accountsOf(key.publicKey)).toEqual([
        { accountId: second.id, proven: true },
        { accountId: first.id, proven: false },
      ]);
      await second.execute(removeDelegateKey(network.info.packageId, second.id, key.publicKey));
      await vi.waitFor(async () => expect(await directory.accountsOf(key.publicKey)).toHaveLength(1), 20_000);
    });

    it('finds a key that was added a moment ago even when the feed is not due', async () => {
      const account = await network.account();
      const { directory, clock } = directoryWith({ pollMs: never });
      const key = testKey();
      expect(await directory.accountsOf(key.publicKey)).toEqual([]);
      await account.add(key);
      clock.ms += 600;
      expect(await directory.accountsOf(key.publicKey)).toEqual([{ accountId: account.id, proven: false }]);
    });

    it('catches up on events that happened while no relayer was running', async () => {
      const account = await network.account();
      const before = directoryWith({ pollMs: never });
      await before.directory.accountsOf(testKey().publicKey);
      await before.directory.close();
      const keys = Array.from({ length: 3 }, testKey);
      for (const key of keys)
        await account.execute(
          addDelegateKey(network.info.packageId, account.id, { ...key, label: 'while away' }),
        );
      const { directory } = directoryWith({ pollMs: never });
      for (const key of keys)
        expect(await directory.accountsOf(key.publicKey)).toEqual([{ accountId: account.id, proven: false }]);
      const { rows } = await tables.db.query('SELECT cursor FROM event_cursor');
      expect(rows).toHaveLength(1);
    });

    it('does not move its cursor past events whose account was read in an older state', async () => {
      const account = await network.account();
      const { directory, unsteady, clock } = directoryWith({ pollMs: never });
      await directory.accountsOf(testKey().publicKey);
      await directory.account(account.id);
      const key = testKey();
      await account.add(key);
      unsteady.mode = 'objects frozen';
      clock.ms += 600;
      await expect(directory.accountsOf(key.publicKey)).rejects.toMatchObject({ code: 'auth_unavailable' });
      unsteady.mode = 'steady';
      clock.ms += 1_001;
      expect(await directory.accountsOf(key.publicKey)).toEqual([{ accountId: account.id, proven: false }]);
    });
  });
});
