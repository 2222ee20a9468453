import type { WalletFunds } from '@memrelay/protocol/sidecar-api';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TaskLoop } from '../../src/base/concurrency/task-loop.ts';
import { startWalletWatch } from '../../src/jobs/alerts/wallet-watch.ts';
import { payingWallets } from '../../src/jobs/rows/wallet-rows.ts';
import { databases, type TestDb } from '../support/databases.ts';

/** Which relayer checks and which one alerts; reading the chain is tested end to end. */
describe.each(databases)('the wallet watch on $name', ({ create }) => {
  let database: TestDb;
  let watches: TaskLoop[];
  let logged: { level: number; msg: string; wallet?: string }[];
  let funds: WalletFunds[];
  let looks: number;
  let away: boolean;
  beforeAll(async () => {
    database = await create();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    [watches, logged, funds, looks, away] = [[], [], [], 0, false];
    for (const table of ['alert', 'shared_task', 'wallet_funds'])
      await database.db.query(`DELETE FROM ${table}`);
  });
  afterEach(() => Promise.all(watches.map((watch) => watch.stop())));

  function wallet(name: string, paysFor: number, purpose: WalletFunds['purpose'] = 'uploads'): WalletFunds {
    const address = `0x${name.padStart(64, '0')}`;
    return { address, purpose, pays_for: paysFor, short_of: 'WAL', sui_mist: '1', wal_frost: '2' };
  }

  async function start(webhook: 'some' | 'none' = 'some'): Promise<void> {
    const sidecar = {
      async wallets(): Promise<WalletFunds[]> {
        looks += 1;
        if (away) throw new Error('no sidecar');
        return funds;
      },
    };
    const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
    const watch = await startWalletWatch({
      db: database.db,
      sidecar,
      storeEpochs: 2,
      alertUploads: 200,
      alerts: webhook === 'some' ? { wake: () => undefined } : undefined,
      log,
    });
    watches.push(watch);
  }
  const untilLooked = (times: number) => expect.poll(() => looks, { timeout: 10_000 }).toBe(times);
  async function alerts(): Promise<string[]> {
    const { rows } = await database.db.query<{ kind: string }>('SELECT kind FROM alert ORDER BY id');
    return rows.map(({ kind }) => kind);
  }
  const settled = () => Promise.all(watches.splice(0).map((watch) => watch.stop()));

  test('of several relayers reports each change once', async () => {
    funds = [wallet('a', 199), wallet('b', 0), wallet('b', 0, 'sponsoring'), wallet('c', 5_000)];
    await Promise.all([start(), start(), start()]);
    await settled();
    const before = looks;
    expect(await alerts()).toEqual(['wallet_low', 'wallet_empty', 'wallet_empty']);
    expect(logged.map(({ level, msg }) => [level, msg])).toEqual([
      [40, 'a wallet runs low'],
      [50, 'a wallet is empty'],
      [50, 'a wallet is empty'],
    ]);
    await start();
    await untilLooked(before + 1);
    await settled();
    expect(await alerts()).toHaveLength(3);
    funds = [wallet('a', 250), wallet('b', 120), wallet('b', 0, 'sponsoring'), wallet('c', 5_000)];
    await start();
    await untilLooked(before + 2);
    await settled();
    expect((await alerts()).slice(3)).toEqual(['wallet_filled', 'wallet_filled']);
  });

  test('without a webhook writes no alert, only a log line', async () => {
    funds = [wallet('a', 0)];
    await start('none');
    await untilLooked(1);
    await settled();
    expect(await alerts()).toEqual([]);
    expect(logged).toMatchObject([{ level: 50, msg: 'a wallet is empty', wallet: funds[0]!.address }]);
  });

  test('counts the wallets that can pay for uploads, and none before the first check', async () => {
    const addresses = ['a', 'b'].map((name) => wallet(name, 0).address);
    expect(await payingWallets(database.db, addresses)).toBeUndefined();
    // Wallets that were removed from the pool, or only sponsor, do not count
    funds = [wallet('a', 1), wallet('b', 0), wallet('b', 9, 'sponsoring'), wallet('old', 9)];
    await start();
    await untilLooked(1);
    await settled();
    expect(await payingWallets(database.db, addresses)).toEqual({ paying: 1, of: 2 });
  });

  test('changes nothing if the sidecar does not respond, and retries later', async () => {
    funds = [wallet('a', 300)];
    await start();
    await untilLooked(1);
    await settled();
    away = true;
    await start();
    await untilLooked(2);
    await settled();
    expect(await payingWallets(database.db, [funds[0]!.address])).toEqual({ paying: 1, of: 1 });
    expect(await alerts()).toEqual([]);
    expect(logged.at(-1)).toMatchObject({ level: 40, msg: expect.stringContaining('will be retried') });
    const { rows } = await database.db.query<{ soon: boolean; failures: number }>(
      "SELECT due_at > now() AND due_at < now() + interval '1 minute' AS soon, failures FROM shared_task",
    );
    expect(rows).toEqual([{ soon: true, failures: 1 }]);
  });
});
