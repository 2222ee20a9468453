import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compileCache } from '@memrelay/process/compile-cache';
import { freePort } from '@memrelay/process/free-ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { createTestOwner, newTestKey } from '../../src/test-owner.ts';
import { startTestRelayer } from '../../src/test-relayer.ts';

/** Tests which variables the sidecar gets from the relayer's environment, and a sidecar that an operator runs. */

let network: TestNetwork;
let backend: TestBackend;
beforeAll(async () => {
  [network, backend] = await Promise.all([startTestNetwork(), createTestBackend()]);
});
afterAll(async () => {
  await Promise.all([network?.close(), backend?.drop()]);
});

const sidecarEntry = fileURLToPath(new URL('../../../apps/sidecar/src/main.ts', import.meta.url));

describe('the environment of a managed sidecar', () => {
  test('has everything it needs, and no secret of the relayer', async () => {
    const serverKey = newTestKey();
    const relayer = await startTestRelayer(network, {
      ...backend,
      environment: {
        SERVER_CHAIN_PRIVATE_KEY: serverKey.privateKey,
        SERVER_CHAIN_PRIVATE_KEYS: '',
        LLM_API_KEY: 'the-key-of-the-provider',
        SPONSOR_API_KEY: 'the-key-of-the-sponsor',
        SOMETHING_ELSE: 'of the machine',
      },
    });
    const children = await readFile(
      `/proc/${relayer.part().pid}/task/${relayer.part().pid}/children`,
      'utf8',
    );
    const environ = await readFile(`/proc/${children.trim().split(' ')[0]}/environ`, 'utf8');
    const names = environ.split('\0').map((line) => line.split('=')[0]);
    expect(names).toEqual(
      expect.arrayContaining([
        'SIDECAR_AUTH_TOKEN',
        'SIDECAR_URL',
        'MEM_PACKAGE_ID',
        'MEM_RELAYER_URL',
        'CHAIN_NETWORK',
        'SERVER_CHAIN_PRIVATE_KEY',
        'SPONSOR_API_KEY',
      ]),
    );
    const withheld =
      /^(DATABASE_URL|REDIS_URL|MEM_SERVER_SECRET|MEM_INDEX_KEY|MEM_WRITER_KEYS|LLM_.*|MEM_DATA_DIR|SOMETHING_ELSE)$/;
    expect(names.filter((name) => withheld.test(name!))).toEqual([]);
    await relayer.stop();
  });
});

/** Starts a sidecar as an operator would, without a supervisor. `stop` ends it as a service manager would. */
async function startOwnSidecar(url: string, token: string): Promise<{ stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', sidecarEntry], {
    env: {
      PATH: process.env.PATH,
      ...compileCache(),
      SIDECAR_AUTH_TOKEN: token,
      SIDECAR_URL: url,
      MEM_PACKAGE_ID: network.info.packageId,
      CHAIN_NETWORK: 'localnet',
      CHAIN_RPC_URL: network.chainUrl,
      STORE_PUBLISHER_URL: network.blobstoreUrl,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(createInterface(child.stdout), 'line');
  return {
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

describe('a sidecar that runs already', () => {
  const token = 'a-token-that-both-of-them-hold';

  test('is used if its token matches, is left running, and may be restarted', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    let sidecar = await startOwnSidecar(url, token);
    const [relayer, owner] = await Promise.all([
      startTestRelayer(network, { ...backend, environment: { SIDECAR_URL: url, SIDECAR_AUTH_TOKEN: token } }),
      createTestOwner(network),
    ]);
    const client = owner.client(relayer.url);
    await client.rememberAndWait('through a sidecar of its own');
    await sidecar.stop();
    const { jobId } = await client.remember('accepted while it was away');
    await expect(client.recall('away', { limit: 1 })).rejects.toMatchObject({ code: 'sidecar_unavailable' });
    sidecar = await startOwnSidecar(url, token);
    await client.waitForJob(jobId, { timeoutMs: 30_000 });
    expect((await client.recall('away', { minScore: -1 })).total).toBe(2);
    await relayer.stop();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await sidecar.stop();
  });

  test('is not shared if it belongs to another relayer: both would lose it with that one', async () => {
    const first = await startTestRelayer(network, backend);
    const other = await createTestBackend();
    const { SIDECAR_URL, SIDECAR_AUTH_TOKEN } = first.environment;
    await expect(
      startTestRelayer(network, { ...other, environment: { SIDECAR_URL, SIDECAR_AUTH_TOKEN } }),
    ).rejects.toThrow('give each relayer its own SIDECAR_URL');
    await first.stop();
    await other.drop();
  });
});
