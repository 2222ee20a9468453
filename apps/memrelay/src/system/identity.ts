import { randomBytes } from 'node:crypto';
import { type Account, fullScope } from '@memrelay/chain/account-bcs';
import { readAccount } from '@memrelay/chain/account-reader';
import { findAccountOf } from '@memrelay/chain/account-registry';
import { addDelegateKeyScoped, createAccount } from '@memrelay/chain/account-transactions';
import { type ChainClient, createChainClient } from '@memrelay/chain/chain-client';
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
  /** True if this start created the key, and perhaps the account */
  created: boolean;
  /** True if the account no longer accepted the key of the credentials, so this start created a new one */
  renewed: boolean;
  /** False when the owner has switched the account off: nothing can be read or written */
  active: boolean;
}

/** Label of the key that the command on this machine uses. */
const keyLabel = 'memrelay up';

/**
 * Returns the wallet, account and delegate key of this data directory. Creates missing ones, and replaces a key that
 * was revoked or has expired. Continues an interrupted start: the wallet is written before its account is created.
 */
export async function localIdentity(
  paths: SystemPaths,
  network: LocalnetInfo,
  chainUrl: string,
  relayerUrl: string,
): Promise<LocalIdentity> {
  const kept = await readCredentials(paths.credentials);
  const chain = createChainClient({ network: 'localnet', baseUrl: chainUrl });
  if (!kept) return newIdentity(paths, network, chain, chainUrl, relayerUrl);
  if (kept.packageId !== network.packageId)
    throw new Error(
      `${paths.credentials} belongs to another local network: the localnet folder next to it was replaced. Restore the former one, or move the whole data directory away to start over`,
    );
  const account = (await readAccount(chain, network.packageId, kept.accountId))?.account;
  // An account that is switched off takes no new key: the next start after it is on again adds one
  if (account?.active && !accepts(account, kept.delegatePublicKey)) {
    const { address } = await localWallet(paths.wallet);
    if (account.owner !== address)
      throw new Error(
        `the account ${account.id} belongs to another wallet now, which has removed the key of this system. Sign in with a key of its new owner, or move the whole data directory away to start over`,
      );
    return { ...(await newIdentity(paths, network, chain, chainUrl, relayerUrl)), renewed: true };
  }
  const active = account?.active !== false;
  if (kept.relayerUrl === relayerUrl) return { credentials: kept, created: false, renewed: false, active };
  const moved = { ...kept, relayerUrl };
  await writeSecretFile(paths.credentials, `${JSON.stringify(moved, null, 2)}\n`);
  return { credentials: moved, created: false, renewed: false, active };
}

/** Whether the account lists the key and it has not expired. */
function accepts(account: Account, publicKey: string): boolean {
  const key = account.delegate_keys.find(
    (each) => Buffer.from(Uint8Array.from(each.public_key)).toString('hex') === publicKey,
  );
  const end = account.scopes.find(({ key: address }) => address === key?.address)?.value.expires_at_ms;
  return key !== undefined && (end === undefined || BigInt(end) === 0n || BigInt(end) > BigInt(Date.now()));
}

/** Creates a new key for the wallet's account, and the wallet and account if they are missing. */
async function newIdentity(
  paths: SystemPaths,
  { packageId, registryId }: LocalnetInfo,
  chain: ChainClient,
  chainUrl: string,
  relayerUrl: string,
): Promise<LocalIdentity> {
  const wallet = await localWallet(paths.wallet);
  const signer = parsePrivateKey(wallet.privateKey);
  await askFaucet(chainUrl, wallet.address);

  const seed = randomBytes(32).toString('hex');
  const delegate = {
    publicKey: Buffer.from(parsePrivateKey(seed).getPublicKey().toRawBytes()).toString('hex'),
    address: addressOfPrivateKey(seed),
    label: keyLabel,
  };
  const existing = await findAccountOf(chain, registryId, wallet.address);
  const accountId =
    existing ??
    createdAccountId(
      await executeTransaction(chain, createAccount(packageId, registryId), signer),
      packageId,
    );
  const active =
    existing === undefined || (await readAccount(chain, packageId, existing))?.account.active !== false;
  // An account that is switched off takes no key: the next start after it is on again adds one
  if (active) {
    // With its proof, so that another account listing the same key does not make it ambiguous
    const proof = await parsePrivateKey(seed).sign(delegateProofMessage(accountId));
    const scoped = { ...delegate, scope: fullScope, proof };
    await executeTransaction(chain, addDelegateKeyScoped(packageId, accountId, scoped), signer);
  }
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
  return { credentials, created: true, renewed: false, active };
}

async function readCredentials(path: string): Promise<CredentialFile | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const parsed = credentialFileSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new Error(`${path} is damaged; move it away to create a new delegate key`);
}

async function localWallet(path: string): Promise<z.infer<typeof walletSchema>> {
  const text = await readIfThere(path);
  if (text !== undefined) {
    const parsed = walletSchema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    throw new Error(
      `${path} is damaged; it contains the key that owns the memories, so restore it from a copy`,
    );
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
