import { randomBytes } from 'node:crypto';
import { fullScope } from '@memrelay/chain/account-bcs';
import { findAccountOf } from '@memrelay/chain/account-registry';
import { addDelegateKeyScoped, createAccount } from '@memrelay/chain/account-transactions';
import { createChainClient } from '@memrelay/chain/chain-client';
import { delegateProofMessage } from '@memrelay/chain/delegate-key';
import { createdAccountId, executeTransaction } from '@memrelay/chain/execute-transaction';
import { addressOfPrivateKey, parsePrivateKey } from '@memrelay/chain/key-file';
import { hex32Pattern } from '@memrelay/protocol/bytes';
import { type CredentialFile, credentialFileSchema } from '@memrelay/protocol/credential-file';
import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { z } from 'zod';
import { askFaucet } from './network-info.ts';
import { readIfThere } from './secret-file.ts';
import type { SystemPaths } from './system-paths.ts';

const walletSchema = z.object({
  /** 64 hex digits: owns the account and its blobs */
  privateKey: z.string().regex(hex32Pattern),
  address: z.string(),
  createdAt: z.string(),
});

export interface LocalIdentity {
  credentials: CredentialFile;
  /** True when the account was made in this start */
  created: boolean;
}

/**
 * The wallet, account and delegate key of the person whose data directory this is; what is missing is made. A start
 * that was cut short is continued: the wallet is written before its account is made.
 */
export async function localIdentity(
  paths: SystemPaths,
  network: LocalnetInfo,
  chainUrl: string,
  relayerUrl: string,
): Promise<LocalIdentity> {
  const kept = await readCredentials(paths.credentials);
  if (kept) {
    if (kept.packageId !== network.packageId)
      throw new Error(
        `${paths.credentials} belongs to another local network: the localnet folder next to it was replaced. Restore the former one, or move the whole data directory away to start over`,
      );
    if (kept.relayerUrl === relayerUrl) return { credentials: kept, created: false };
    const moved = { ...kept, relayerUrl };
    await writeSecretFile(paths.credentials, `${JSON.stringify(moved, null, 2)}\n`);
    return { credentials: moved, created: false };
  }
  const wallet = await localWallet(paths.wallet);
  const signer = parsePrivateKey(wallet.privateKey);
  const chain = createChainClient({ network: 'localnet', baseUrl: chainUrl });
  await askFaucet(chainUrl, wallet.address);

  const seed = randomBytes(32).toString('hex');
  const delegate = {
    publicKey: Buffer.from(parsePrivateKey(seed).getPublicKey().toRawBytes()).toString('hex'),
    address: addressOfPrivateKey(seed),
    label: 'memrelay up',
  };
  const { packageId, registryId } = network;
  const accountId =
    (await findAccountOf(chain, registryId, wallet.address)) ??
    createdAccountId(
      await executeTransaction(chain, createAccount(packageId, registryId), signer),
      packageId,
    );
  // With its proof, so that another account listing the same key does not make it ambiguous
  const proof = await parsePrivateKey(seed).sign(delegateProofMessage(accountId));
  const scoped = { ...delegate, scope: fullScope, proof };
  await executeTransaction(chain, addDelegateKeyScoped(packageId, accountId, scoped), signer);
  const credentials: CredentialFile = {
    delegatePrivateKey: seed,
    delegatePublicKey: delegate.publicKey,
    delegateAddress: delegate.address,
    walletAddress: wallet.address,
    accountId,
    packageId,
    relayerUrl,
    label: delegate.label,
    createdAt: new Date().toISOString(),
  };
  await writeSecretFile(paths.credentials, `${JSON.stringify(credentials, null, 2)}\n`);
  return { credentials, created: true };
}

async function readCredentials(path: string): Promise<CredentialFile | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const parsed = credentialFileSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new Error(`${path} is damaged; move it away to have a new delegate key made`);
}

async function localWallet(path: string): Promise<z.infer<typeof walletSchema>> {
  const text = await readIfThere(path);
  if (text !== undefined) {
    const parsed = walletSchema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw new Error(`${path} is damaged; it holds the key that owns the memories, so restore it from a copy`);
  }
  const privateKey = randomBytes(32).toString('hex');
  const wallet = {
    privateKey,
    address: addressOfPrivateKey(privateKey),
    createdAt: new Date().toISOString(),
  };
  await writeSecretFile(path, `${JSON.stringify(wallet, null, 2)}\n`);
  return wallet;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
