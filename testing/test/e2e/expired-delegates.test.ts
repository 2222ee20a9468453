import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from '@memrelay/chain/account-bcs';
import { readAccount } from '@memrelay/chain/account-reader';
import { pruneExpired } from '@memrelay/chain/account-transactions';
import { parseHeader } from '@memrelay/envelope/header';
import type { MemRelay } from '@memrelay/sdk/mem-relay';
import { askFaucet } from 'memrelay/system/network-info';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey, type TestOwner } from '../../src/test-owner.ts';
import { startTestRelayer, type TestRelayer } from '../../src/test-relayer.ts';

/** Tests that nothing is sealed in an epoch whose keys a delegate may have fetched before it expired. */

let network: TestNetwork;
let backend: TestBackend;
let relayer: TestRelayer | undefined;
beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
});
afterEach(() => relayer?.stop());
afterAll(async () => {
  await Promise.all([network?.close(), backend?.drop()]);
});

async function startWith(environment: NodeJS.ProcessEnv): Promise<string> {
  relayer = await startTestRelayer(network, { ...backend, environment });
  return relayer.url;
}

async function sponsored(): Promise<NodeJS.ProcessEnv> {
  const key = await readFile(join(network.paths.localnet, 'sponsor.key'), 'utf8');
  return {
    SPONSOR_API_URL: `${network.chainUrl}/sponsor`,
    SPONSOR_API_KEY: key.trim(),
    SPONSOR_NETWORK: 'localnet',
  };
}

/** An owner with a second delegate that is about to expire; resolves when it has expired by the chain's clock. */
async function ownerWithExpired(): Promise<TestOwner> {
  const owner = await createTestOwner(network);
  const expiresAtMs = Date.now() + 1_500;
  await owner.addDelegate(newTestKey(), { expiresAtMs });
  await expect.poll(() => Date.now(), { timeout: 5_000 }).toBeGreaterThan(expiresAtMs);
  return owner;
}

async function onChain(owner: TestOwner): Promise<Account> {
  return (await readAccount(network.chain, network.info.packageId, owner.accountId))!.account;
}

async function epochOf(blobId: string): Promise<bigint> {
  const blob = await fetch(`${network.blobstoreUrl}/v1/blobs/${blobId}`);
  return parseHeader(new Uint8Array(await blob.arrayBuffer())).keyEpoch;
}

/** Stores several memories concurrently; only one of them can be the first. */
async function storeAtOnce(client: MemRelay): Promise<bigint[]> {
  const stored = await Promise.all([1, 2, 3].map((i) => client.rememberAndWait(`after the end, ${i}`)));
  return Promise.all(stored.map(({ blobId }) => epochOf(blobId)));
}

describe('removes an expired delegate before the next memory is sealed, in a new epoch', () => {
  async function isPruned(environment: NodeJS.ProcessEnv): Promise<void> {
    const url = await startWith(environment);
    const owner = await ownerWithExpired();
    const before = await onChain(owner);
    expect(before.delegate_keys).toHaveLength(2);
    const client = owner.client(url);
    const epochs = await storeAtOnce(client);
    const after = await onChain(owner);
    expect(after.delegate_keys.map(({ address }) => address)).toEqual([owner.delegate.address]);
    // Once, no matter how many were stored concurrently
    expect(after.key_epoch).toBe(before.key_epoch + 1n);
    expect(epochs).toEqual([after.key_epoch, after.key_epoch, after.key_epoch]);
    const { results } = await client.recall('the end', { minScore: -1, limit: 10 });
    expect(results).toHaveLength(3);
    client.destroy();
  }

  test('paid by the sponsor', async () => isPruned(await sponsored()));

  test('paid by a wallet of the pool', async () => {
    const wallet = newTestKey();
    await askFaucet(network.chainUrl, wallet.address);
    await isPruned({
      STORE_PUBLISHER_URL: '',
      STORE_UPLOAD_RELAY_URL: network.blobstoreUrl,
      SERVER_CHAIN_PRIVATE_KEYS: wallet.privateKey,
    });
  });

  test('paid by the server key', async () => {
    const server = newTestKey();
    await askFaucet(network.chainUrl, server.address);
    await isPruned({ SERVER_CHAIN_PRIVATE_KEY: server.privateKey });
  });
});

describe('seals nothing while an expired delegate cannot be removed', () => {
  const refusal = async (client: MemRelay): Promise<unknown> =>
    client.remember('not yet').catch((error: unknown) => error);

  test('reports the required owner action on a server without sponsor and wallet', async () => {
    const url = await startWith({});
    const owner = await ownerWithExpired();
    const client = owner.client(url);
    expect(await refusal(client)).toMatchObject({ code: 'prune_required', status: 409 });
    await owner.execute(pruneExpired(network.info.packageId, owner.accountId));
    const epoch = (await onChain(owner)).key_epoch;
    await expect.poll(() => refusal(client), { timeout: 5_000 }).toMatchObject({ status: 'running' });
    expect(await storeAtOnce(client)).toEqual([epoch, epoch, epoch]);
    client.destroy();
  });

  test('treats a wallet without coins as no wallet', async () => {
    const url = await startWith({ SERVER_CHAIN_PRIVATE_KEY: newTestKey().privateKey });
    const client = (await ownerWithExpired()).client(url);
    expect(await refusal(client)).toMatchObject({ code: 'prune_required' });
    client.destroy();
  });

  test('retries when the sponsor does not respond', async () => {
    const url = await startWith({ ...(await sponsored()), SPONSOR_API_URL: 'http://127.0.0.1:9' });
    const client = (await ownerWithExpired()).client(url, { maxAttempts: 1 });
    expect(await refusal(client)).toMatchObject({ code: 'auth_unavailable', status: 503 });
    client.destroy();
  });
});
