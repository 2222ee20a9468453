import { randomBytes } from 'node:crypto';
import { fullScope, permissions, type Scope } from '@memrelay/chain/account-bcs';
import { addDelegateKeyScoped, createAccount, removeDelegateKey } from '@memrelay/chain/account-transactions';
import { delegateProofMessage } from '@memrelay/chain/delegate-key';
import { createdAccountId, executeTransaction } from '@memrelay/chain/execute-transaction';
import { parsePrivateKey } from '@memrelay/chain/key-file';
import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { nodePrimitives } from '@memrelay/envelope/node-primitives';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import type { MemRelayOptions } from '@memrelay/sdk/types';
import type { Transaction } from '@mysten/sui/transactions';
import { askFaucet } from 'memrelay/system/network-info';
import type { TestNetwork } from './test-network.ts';

export interface TestKey {
  /** 64 hex digits */
  privateKey: string;
  publicKey: string;
  address: string;
}

export function newTestKey(): TestKey {
  const privateKey = randomBytes(32).toString('hex');
  const pair = parsePrivateKey(privateKey);
  return {
    privateKey,
    publicKey: Buffer.from(pair.getPublicKey().toRawBytes()).toString('hex'),
    address: pair.toSuiAddress(),
  };
}

/** Scope of a delegate. Omitted fields are not limited. */
export interface TestScope {
  perms?: number;
  namespaces?: readonly string[];
  /** Unix time in ms */
  expiresAtMs?: number;
}

/** A wallet with an account and a first delegate key on the test chain. */
export interface TestOwner {
  wallet: TestKey;
  accountId: string;
  delegate: TestKey;
  execute(transaction: Transaction): Promise<void>;
  /** Adds a delegate with full rights or a scope, and with the key's proof of consent */
  addDelegate(key: TestKey, scope?: TestScope): Promise<void>;
  removeDelegate(key: TestKey): Promise<void>;
  /** A client of this account, with its first delegate key by default */
  client(serverUrl: string, options?: Partial<MemRelayOptions>): MemRelay;
}

export async function createTestOwner(
  network: Pick<TestNetwork, 'info' | 'chainUrl' | 'chain'>,
): Promise<TestOwner> {
  const { packageId, registryId } = network.info;
  const wallet = newTestKey();
  const delegate = newTestKey();
  const signer = parsePrivateKey(wallet.privateKey);
  const labelled = (key: TestKey) => ({ publicKey: key.publicKey, address: key.address, label: 'test' });
  await askFaucet(network.chainUrl, wallet.address);
  const created = await executeTransaction(network.chain, createAccount(packageId, registryId), signer);
  const accountId = createdAccountId(created, packageId);
  const execute = async (transaction: Transaction): Promise<void> => {
    await executeTransaction(network.chain, transaction, signer);
  };
  async function add(key: TestKey, scope: Scope): Promise<void> {
    const proof = await parsePrivateKey(key.privateKey).sign(delegateProofMessage(accountId));
    await execute(addDelegateKeyScoped(packageId, accountId, { ...labelled(key), scope, proof }));
  }
  await add(delegate, fullScope);
  return {
    wallet,
    accountId,
    delegate,
    execute,
    async addDelegate(key, scope) {
      if (!scope) return add(key, fullScope);
      const origin = Buffer.from(wallet.address.slice(2), 'hex');
      return add(key, {
        perms: scope.perms ?? permissions.all,
        all_namespaces: scope.namespaces === undefined,
        tags: (scope.namespaces ?? []).map((name) => namespaceTag(nodePrimitives, origin, name)),
        min_epoch: 0n,
        expires_at_ms: BigInt(scope.expiresAtMs ?? 0),
      });
    },
    removeDelegate: (key) => execute(removeDelegateKey(packageId, accountId, key.publicKey)),
    client: (serverUrl, options) =>
      MemRelay.create({ key: delegate.privateKey, accountId, serverUrl, packageId, ...options }),
  };
}

/** The credential file of an owner's first delegate key, as a sign-in would have written it. */
export function credentialsOf(network: TestNetwork, owner: TestOwner, relayerUrl: string): CredentialFile {
  return {
    delegatePrivateKey: owner.delegate.privateKey,
    delegatePublicKey: owner.delegate.publicKey,
    delegateAddress: owner.delegate.address,
    walletAddress: owner.wallet.address,
    accountId: owner.accountId,
    packageId: network.info.packageId,
    relayerUrl,
    label: 'test',
    createdAt: new Date().toISOString(),
  };
}
