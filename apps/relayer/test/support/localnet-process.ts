import { spawn } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fullScope, type Scope } from '@memrelay/chain/account-bcs';
import { addDelegateKey, addDelegateKeyScoped, createAccount } from '@memrelay/chain/account-transactions';
import { type ChainClient, createChainClient } from '@memrelay/chain/chain-client';
import { delegateAddress, delegateProofMessage } from '@memrelay/chain/delegate-key';
import { createdAccountId, executeTransaction } from '@memrelay/chain/execute-transaction';
import { supervisedVariable } from '@memrelay/process/supervised';
import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';

export interface TestNetwork {
  url: string;
  info: LocalnetInfo;
  chain: ChainClient;
  /** A new account of a new, funded owner */
  account(): Promise<TestAccount>;
  stop(): Promise<void>;
}

export interface TestAccount {
  id: string;
  owner: Ed25519Keypair;
  execute(transaction: Parameters<typeof executeTransaction>[1]): Promise<void>;
  /** Adds the key: with full rights, or with its consent and this scope */
  add(key: TestKey, scope?: Partial<Scope>): Promise<void>;
}

export interface TestKey {
  publicKey: string;
  address: string;
  privateKey: KeyObject;
}

export function testKey(): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return { publicKey: raw.toString('hex'), address: delegateAddress(raw), privateKey };
}

/** The localnet as a separate process, with its data in a temporary folder. */
export async function startTestNetwork(): Promise<TestNetwork> {
  const directory = await mkdtemp(join(tmpdir(), 'memrelay-localnet-'));
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../localnet/src/main.ts')], {
    env: { ...process.env, LOCALNET_PORT: '0', LOCALNET_DATA_DIR: directory, [supervisedVariable]: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url } = JSON.parse(line);
  const info = (await (await fetch(`${url}/info`)).json()) as LocalnetInfo;
  const chain = createChainClient({ network: 'localnet', baseUrl: url, timeoutMs: 20_000 });
  return {
    url,
    info,
    chain,
    account: () => newAccount(url, info, chain),
    async stop() {
      child.stdin.end();
      await once(child, 'exit');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export async function fund(url: string, address: string): Promise<void> {
  const response = await fetch(`${url}/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ recipient: address }),
  });
  if (!response.ok) throw new Error(`faucet: ${response.status}`);
}

async function newAccount(url: string, info: LocalnetInfo, chain: ChainClient): Promise<TestAccount> {
  const owner = Ed25519Keypair.fromSecretKey(randomBytes(32));
  await fund(url, owner.toSuiAddress());
  const made = await executeTransaction(chain, createAccount(info.packageId, info.registryId), owner);
  const id = createdAccountId(made, info.packageId);
  const execute: TestAccount['execute'] = async (transaction) => {
    await executeTransaction(chain, transaction, owner);
  };
  return {
    id,
    owner,
    execute,
    add({ publicKey, address, privateKey }, scope) {
      const delegate = { publicKey, address, label: 'test' };
      if (!scope) return execute(addDelegateKey(info.packageId, id, delegate));
      const proof = sign(null, delegateProofMessage(id), privateKey);
      const whole = { ...fullScope, ...scope };
      return execute(addDelegateKeyScoped(info.packageId, id, { ...delegate, scope: whole, proof }));
    },
  };
}
