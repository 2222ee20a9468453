import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compileCache } from '@memrelay/process/compile-cache';
import { freePorts } from '@memrelay/process/free-ports';
import { askFaucet } from 'memrelay/system/network-info';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddingProvider, startEmbeddingProvider } from '../../src/embedding-provider.ts';
import { runMemrelay } from '../../src/memrelay-command.ts';
import { createTestBackend, type TestBackend } from '../../src/test-backend.ts';
import { startTestNetwork, type TestNetwork } from '../../src/test-network.ts';
import { newTestKey } from '../../src/test-owner.ts';
import { startWebhook, type Webhook } from '../../src/webhook.ts';

/** Tests that the environment in docs/going-to-mainnet.md starts a relayer, with the addresses of the local network. */

const root = fileURLToPath(new URL('../../../', import.meta.url));
let network: TestNetwork;
let backend: TestBackend;
let provider: EmbeddingProvider;
let hook: Webhook;
let directory: string;
beforeAll(async () => {
  [network, backend, provider, hook] = await Promise.all([
    startTestNetwork(),
    createTestBackend(),
    startEmbeddingProvider(),
    startWebhook(),
  ]);
  directory = await mkdtemp(join(tmpdir(), 'memrelay-production-'));
});
afterAll(async () => {
  await Promise.all([network?.close(), backend?.drop(), provider?.close(), hook?.close()]);
  await rm(directory, { recursive: true, force: true });
});

async function memrelay(...args: string[]): Promise<string> {
  const env = { HOME: directory, MEM_DATA_DIR: join(directory, 'data') };
  const { code, stdout, stderr } = await runMemrelay(args, env);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** The page's example with these values; undefined omits the line. */
async function environmentFile(values: Record<string, string | undefined>): Promise<string> {
  const page = await readFile(join(root, 'docs/going-to-mainnet.md'), 'utf8');
  let text = /^```env\n([\s\S]*?)^```$/m.exec(page)![1]!;
  for (const [name, value] of Object.entries(values)) {
    const line = new RegExp(`^#?${name}=.*$`, 'm');
    expect(text, `${name} stands in the example`).toMatch(line);
    text = text.replace(line, value === undefined ? '' : `${name}=${value}`);
  }
  expect(text, 'nothing is left to fill in').not.toMatch(/^[A-Z_]+=<.*>$/m);
  const path = join(directory, 'relayer.env');
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

test('starts a relayer with the environment of docs/going-to-mainnet.md and passes its own checks', async () => {
  const [port, sidecarPort] = await freePorts(2);
  const [wallet, owner] = [newTestKey(), newTestKey()];
  await Promise.all([wallet, owner].map(({ address }) => askFaucet(network.chainUrl, address)));
  const file = await environmentFile({
    CHAIN_NETWORK: 'localnet',
    CHAIN_RPC_URL: network.chainUrl,
    MEM_PACKAGE_ID: network.info.packageId,
    MEM_REGISTRY_ID: network.info.registryId,
    DATABASE_URL: backend.databaseUrl,
    REDIS_URL: backend.redisUrl,
    ...backend.keys,
    SIDECAR_AUTH_TOKEN: 'a-token-of-this-test-alone',
    SERVER_CHAIN_PRIVATE_KEYS: wallet.privateKey,
    STORE_UPLOAD_RELAY_URL: network.blobstoreUrl,
    STORE_AGGREGATOR_URL: network.blobstoreUrl,
    LLM_API_KEY: 'test-key',
    LLM_API_BASE: provider.url,
    SPONSOR_NETWORK: 'localnet',
    PORT: String(port),
    SIDECAR_URL: `http://127.0.0.1:${sidecarPort}`,
    ALERT_TO_SLACK: hook.url,
  });
  const relayer = spawn(process.execPath, [`--env-file=${file}`, join(root, 'apps/relayer/src/main.ts')], {
    env: { PATH: process.env.PATH, HOME: directory, ...compileCache() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const lines: string[] = [];
    relayer.stderr.setEncoding('utf8').on('data', (text: string) => lines.push(text));
    for await (const line of createInterface(relayer.stdout)) {
      lines.push(line);
      if (line.includes('"event":"listening"')) break;
    }
    expect(lines.join('\n')).toContain('listening');
    // `level` 40 is a warning: nothing in the example is unknown or deprecated
    expect(lines.filter((line) => /"level":(?:4|5)0/.test(line) && !line.includes('core'))).toEqual([]);

    const server = `http://127.0.0.1:${port}`;
    const key = join(directory, 'owner.key');
    const credentials = join(directory, 'laptop.json');
    await writeFile(key, owner.privateKey, { mode: 0o600 });
    await memrelay('account', 'create', '--yes', '--server', server, '--wallet', key);
    await memrelay(
      ...['delegate', 'add', '--label', 'laptop', '--out', credentials, '--yes'],
      ...['--server', server, '--wallet', key],
    );
    const checks = await memrelay('doctor', '--write', '--json', '--credentials', credentials);
    const failed = checks
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ state }) => state === 'failed');
    expect(failed).toEqual([]);
    await expect
      .poll(async () => (await fetch(`${server}/ready`)).json(), { timeout: 10_000 })
      .toHaveProperty('checks.upload_wallets', { ok: true, detail: '1 of 1 can pay for an upload' });
    expect(provider.texts.length).toBeGreaterThan(0);
  } finally {
    relayer.kill('SIGTERM');
    if (relayer.exitCode === null) await once(relayer, 'exit');
  }
}, 120_000);
