import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DirectoryLockedError, lockDirectory } from '@memrelay/process/dir-lock';
import { SealClient } from '@mysten/seal';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keyServerObjects } from '../src/genesis/genesis-objects.ts';
import { openNetwork } from '../src/network.ts';
import { created, fundedKey, send, startWorld } from './chain-world.ts';
import { counterPackage, counterType } from './counter-module.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
let dataDir: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'localnet-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(dataDir, { recursive: true, force: true });
});

function run(env: Record<string, string>) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: { ...process.env, LOCALNET_DATA_DIR: dataDir, LOCALNET_PORT: '0', LOG_LEVEL: 'silent', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

/** Starts the program and waits for its ready line. */
async function start(env: Record<string, string> = {}) {
  const child = run(env);
  for await (const line of createInterface(child.stdout!)) {
    const ready = JSON.parse(line) as { event: string; url: string };
    expect(ready.event).toBe('listening');
    return { child, url: ready.url, client: new SuiGrpcClient({ network: 'localnet', baseUrl: ready.url }) };
  }
  throw new Error('the localnet ended before it was ready');
}

/** Runs the program until it exits. */
async function outcome(env: Record<string, string> = {}) {
  const child = run(env);
  let stderr = '';
  child.stderr!.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

test('keeps everything across a restart', async () => {
  const world = await startWorld('in process', { dataDir });
  const key = await fundedKey(world);
  const counter = created(
    await send(world, key, (tx) => {
      tx.moveCall({ target: `${counterPackage}::counter::create_shared` });
    }),
    counterType,
  )[0]!;
  const result = await send(world, key, (tx) => {
    tx.moveCall({
      target: `${counterPackage}::counter::add`,
      arguments: [tx.object(counter), tx.pure.u64(3)],
    });
  });
  const read = async ({ client }: typeof world) => ({
    object: await client.getObject({ objectId: counter, include: { content: true, objectBcs: true } }),
    events: await client.listEvents({}),
    balances: await client.listBalances({ owner: key.toSuiAddress() }),
    transaction: await client.getTransaction({
      digest: result.digest,
      include: { effects: true, events: true },
    }),
    chain: await client.getChainIdentifier(),
  });
  const before = await read(world);
  const ids = world.network.ids;
  await world.close();
  const again = await startWorld('in process', { dataDir });
  expect(await read(again)).toEqual(before);
  expect(again.network.ids).toEqual(ids);
  await send(again, key, (tx) => {
    tx.moveCall({
      target: `${counterPackage}::counter::add`,
      arguments: [tx.object(counter), tx.pure.u64(4)],
    });
  });
  await again.close();
});

test('keeps the ids of key servers, and updates their port', async () => {
  const first = await startWorld('http text', { dataDir });
  const before = first.localnet!.info;
  await first.close();
  const second = await startWorld('http text', { dataDir });
  const after = second.localnet!.info;
  await second.close();
  expect(after.keyServers.map(({ objectId }) => objectId)).toEqual(
    before.keyServers.map(({ objectId }) => objectId),
  );
  expect(after.keyServers[0]!.url.startsWith(after.rpcUrl)).toBe(true);
  expect(after.committee.objectId).toBe(before.committee.objectId);
  expect(after.committee.members.map(({ publicKey }) => publicKey)).toEqual(
    before.committee.members.map(({ publicKey }) => publicKey),
  );
});

test('adds a committee to an older network at its next start', async () => {
  const network = openNetwork({ dataDir });
  const { committee, genesis } = network.keyServers;
  const { objects, fields } = genesis('http://127.0.0.1:1');
  network.chain.writeSystemObjects(
    'key servers',
    keyServerObjects({
      objects: objects.filter(({ objectId }) => objectId !== committee.objectId),
      fields: fields.filter(({ parent }) => parent !== committee.objectId),
    }),
  );
  expect(network.chain.store.object(committee.objectId)).toBeUndefined();
  network.close();

  const { client, localnet, close } = await startWorld('http text', { dataDir, nShards: 1000 });
  const { keyServers, committee: announced } = localnet!.info;
  const serverConfigs = [announced, ...keyServers].map(({ objectId, weight }) => ({
    objectId,
    weight,
    ...(objectId === announced.objectId && { aggregatorUrl: announced.aggregatorUrl }),
  }));
  const seal = new SealClient({ suiClient: client, serverConfigs, verifyKeyServers: true });
  const found = [...(await seal.getKeyServers()).values()];
  expect(found.map(({ serverType }) => serverType)).toEqual(['Committee', 'Independent', 'Independent']);
  expect(announced.objectId).toBe(committee.objectId);
  await close();
});

test('keeps acknowledged transactions after kill -9 in the middle of work', async () => {
  const { child, client, url } = await start();
  const keys = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const key = new Ed25519Keypair();
      await fetch(`${url}/faucet`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ recipient: key.toSuiAddress() }),
      });
      return key;
    }),
  );
  const acknowledged: string[] = [];
  const target = new Ed25519Keypair().toSuiAddress();
  const work = keys.map(async (signer) => {
    for (;;) {
      const transaction = new Transaction();
      transaction.transferObjects([transaction.splitCoins(transaction.gas, [1])], target);
      const result = await client.signAndExecuteTransaction({ transaction, signer });
      acknowledged.push(result.Transaction!.digest);
      if (acknowledged.length === 40) child.kill('SIGKILL');
    }
  });
  await Promise.allSettled(work);
  const restarted = await start();
  for (const digest of acknowledged) {
    expect((await restarted.client.getTransaction({ digest })).$kind).toBe('Transaction');
  }
  const { balance } = await restarted.client.getBalance({ owner: target });
  expect(Number(balance.balance)).toBeGreaterThanOrEqual(acknowledged.length);
  // Transactions that were in progress may have been executed without a response.
  expect(Number(balance.balance)).toBeLessThanOrEqual(acknowledged.length + keys.length);
});

test('loses at most the last transaction when the end of the journal is torn', async () => {
  const { child, client, url } = await start();
  const recipient = new Ed25519Keypair().toSuiAddress();
  const gift = () =>
    fetch(`${url}/faucet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ recipient }),
    }).then((answer) => answer.json() as Promise<{ digest: string }>);
  const first = await gift();
  const second = await gift();
  expect((await client.getTransaction({ digest: second.digest })).$kind).toBe('Transaction');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const journal = join(dataDir, 'chain.sqlite-wal');
  truncateSync(journal, statSync(journal).size - 1000);
  const restarted = await start();
  expect((await restarted.client.getTransaction({ digest: first.digest })).$kind).toBe('Transaction');
  await expect(restarted.client.getTransaction({ digest: second.digest })).rejects.toThrow(/not found/i);
  const { balance } = await restarted.client.getBalance({ owner: recipient });
  expect(BigInt(balance.balance)).toBe(1_000_000_000_000n);
});

describe('one process per directory', () => {
  test('rejects a second process and names the directory', async () => {
    const { child, client } = await start();
    const second = await outcome();
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(dataDir);
    expect((await client.getChainIdentifier()).chainIdentifier).toBeTruthy();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await start();
  });

  test('the lock is exclusive within a process, too, and can be released', () => {
    const lock = lockDirectory(dataDir);
    expect(() => lockDirectory(dataDir)).toThrow(DirectoryLockedError);
    lock.release();
    lockDirectory(dataDir).release();
  });
});

test('keeps the shards of a network', async () => {
  const made = await outcomeOf({ nShards: 31 });
  expect(made).toBeUndefined();
  expect(await outcomeOf({})).toBeUndefined();
  expect(await outcomeOf({ nShards: 1000 })).toMatch(/nShards is 1000.*31/);
});

async function outcomeOf(options: { nShards?: number }): Promise<string | undefined> {
  try {
    const world = await startWorld('in process', { nShards: undefined as never, ...options, dataDir });
    await world.close();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

test('writes secrets readable only by their owner', async () => {
  const world = await startWorld('in process', { dataDir });
  await world.close();
  const secrets = readdirSync(dataDir).filter((name) => /seed|key|token/.test(name));
  expect(secrets.sort()).toEqual(['admin.token', 'seed', 'sponsor.key', 'storage-node.key']);
  for (const name of secrets) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
});

describe('the program', () => {
  test('exits when its port is in use and names the variable to set', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const { code, stderr } = await outcome({ LOCALNET_PORT: String(port) });
    server.close();
    expect(code).toBe(1);
    expect(stderr).toContain('LOCALNET_PORT');
  });

  test('exits when a setting is not a number and names it', async () => {
    const { code, stderr } = await outcome({ LOCALNET_SHARDS: 'many' });
    expect(code).toBe(1);
    expect(stderr).toContain('LOCALNET_SHARDS');
  });

  test('stops when its supervisor closes stdin, even with an open subscription', async () => {
    const { child, client } = await start({ MEMRELAY_SUPERVISED: '1' });
    const call = client.subscriptionService.subscribeEvents({});
    await call.headers;
    child.stdin!.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    await expect(call.status).rejects.toThrow();
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s stops it cleanly', async (signal) => {
    const { child } = await start();
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
