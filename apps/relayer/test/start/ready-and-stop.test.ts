import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases, type TestDb } from '../support/databases.ts';
import { startTestNetwork, type TestNetwork } from '../support/localnet-process.ts';
import { type RelayerProcess, relayerEnvironment, startRelayerProcess } from '../support/relayer-process.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

interface Readiness {
  accepts_writes: boolean;
  checks: { blob_store: { ok: boolean }; chain: { ok: boolean }; database: { ok: boolean; detail?: string } };
}

/** A node is reported as unavailable after half a minute */
const patience = { timeout: 90_000, interval: 200 };

describe.each(databases)('a relayer on $name', ({ create, name }) => {
  let network: TestNetwork;
  let tables: TestDb;
  let chain: TcpProxy;
  let aggregator: Server;
  let asked = 0;
  let aggregatorResponds = false;
  let relayer: RelayerProcess;
  let databaseWay: TcpProxy | undefined;

  beforeAll(async () => {
    [network, tables] = await Promise.all([startTestNetwork(), create()]);
    chain = await startTcpProxy(Number(new URL(network.url).port));
    aggregator = createServer((_request, response) => {
      asked += 1;
      if (aggregatorResponds) response.end();
    }).listen(0, '127.0.0.1');
    await once(aggregator, 'listening');
    const databaseUrl = new URL(tables.url);
    if (name === 'postgres') {
      databaseWay = await startTcpProxy(Number(databaseUrl.port));
      databaseUrl.hostname = '127.0.0.1';
      databaseUrl.port = String(databaseWay.port);
    } else await tables.db.close();
    relayer = await startRelayerProcess({
      ...(await relayerEnvironment(network, databaseUrl.href)),
      CHAIN_RPC_URL: `http://127.0.0.1:${chain.port}`,
      STORE_AGGREGATOR_URL: `http://127.0.0.1:${(aggregator.address() as AddressInfo).port}`,
    });
  }, 300_000);
  afterAll(async () => {
    await relayer?.stop();
    await Promise.all([chain?.close(), databaseWay?.close(), network?.stop(), tables?.drop()]);
    aggregator?.close();
    aggregator?.closeAllConnections();
  });

  const ready = async () => {
    const response = await fetch(`${relayer.url}/ready`);
    return { status: response.status, body: (await response.json()) as Readiness };
  };

  test('is ready while no aggregator responds, and reports it', async () => {
    expect(await ready()).toMatchObject({
      status: 200,
      body: { ready: true, accepts_writes: true, checks: { blob_store: { ok: false } } },
    });
  });

  test('checks its dependencies at most once per second, however often it is asked', async () => {
    // A check of one that does not respond takes longer than a second, so that all requests would share it anyway
    aggregatorResponds = true;
    await expect.poll(async () => (await ready()).body.checks.blob_store.ok, patience).toBe(true);
    const [before, began] = [asked, Date.now()];
    const answers = await Promise.all(Array.from({ length: 200 }, ready));
    for (let i = 0; i < 50; i++) answers.push(await ready());
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(asked - before).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - began) / 1_000));
  }, 120_000);

  test('stays ready while no node answers, which it reports', async () => {
    chain.target = undefined;
    chain.cut();
    await expect.poll(async () => (await ready()).body.checks.chain.ok, patience).toBe(false);
    expect(await ready()).toMatchObject({ status: 200, body: { ready: true, accepts_writes: false } });
    chain.target = Number(new URL(network.url).port);
    await expect.poll(async () => (await ready()).body.accepts_writes, patience).toBe(true);
  }, 200_000);

  test('stops within its deadline after SIGTERM, whatever hangs', async () => {
    // A caller that never sends its body, and a database that no longer responds
    const caller = connect(Number(new URL(relayer.url).port), '127.0.0.1').on('error', () => undefined);
    caller.write(
      'POST /sponsor HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    await once(caller, 'connect');
    if (databaseWay) {
      databaseWay.silent = true;
      await expect.poll(async () => (await ready()).status, patience).toBe(503);
      expect((await ready()).body.checks.database).toEqual({ ok: false, detail: 'Error' });
    }
    const began = Date.now();
    process.kill(relayer.pid, 'SIGTERM');
    const how = await relayer.ended;
    // 20 s for the relayer, plus time for a busy machine; without a deadline the queries alone take 40
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(how).toBe(databaseWay ? 'exit code 1' : 'exit code 0');
    caller.destroy();
  }, 200_000);
});
