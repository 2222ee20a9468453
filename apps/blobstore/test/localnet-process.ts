import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { compileCache } from '@memrelay/process/compile-cache';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import type { ChainRegistryOptions } from '../src/registry/chain/chain-registry.ts';

const main = fileURLToPath(new URL('../../localnet/src/main.ts', import.meta.url));

/** A localnet in a separate process, with 31 shards, and everything a blob store needs to work on it. */
export interface LocalnetProcess {
  url: string;
  nodeKeyFile: string;
  /** Creates a new account with coins */
  fundedKey(): Promise<Ed25519Keypair>;
  /** The chain for a blob store with a separate account */
  chainOptions(): Promise<ChainRegistryOptions>;
  advanceEpoch(epochs: number): Promise<void>;
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

async function post(url: string, body: object, token?: string): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
}

export async function startLocalnet(env: Record<string, string> = {}): Promise<LocalnetProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'blobstore-chain-'));
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH ?? '',
      ...compileCache(),
      LOCALNET_PORT: '0',
      LOCALNET_DATA_DIR: dataDir,
      LOCALNET_SHARDS: '31',
      MEMRELAY_SUPERVISED: '1',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const nodeKeyFile = join(dataDir, 'storage-node.key');

  async function fundedKey(): Promise<Ed25519Keypair> {
    const keypair = new Ed25519Keypair();
    await post(`${url}/faucet`, { recipient: keypair.toSuiAddress() });
    return keypair;
  }

  return {
    url,
    nodeKeyFile,
    fundedKey,
    async chainOptions() {
      return { url, nodeKeyFile, walletKey: (await fundedKey()).getSecretKey() };
    },
    async advanceEpoch(epochs) {
      const token = (await readFile(join(dataDir, 'admin.token'), 'utf8')).trim();
      await post(`${url}/admin/advance-epoch`, { epochs }, token);
    },
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
