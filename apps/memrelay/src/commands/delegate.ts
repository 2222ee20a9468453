import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { delegateAddress, delegateProofMessage } from '@memrelay/chain/delegate-key';
import { addressOfPrivateKey, parsePrivateKey } from '@memrelay/chain/key-file';
import { addressPattern } from '@memrelay/protocol/address';
import { anyCaseHex32Pattern } from '@memrelay/protocol/bytes';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';
import { loadCredentials } from '@memrelay/sdk/credentials-node';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { confirm } from '../owner/confirm.ts';
import { connectAccount, type OwnerOptions } from '../owner/connect-owner.ts';
import { describeScope, type ScopeOptions, scopeOf } from '../owner/scope-options.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { columns } from '../terminal/plain-text.ts';
import { delegateRows, hex, networkFacts, signAndReport } from './account.ts';

export interface AddDelegateOptions extends OwnerOptions, ScopeOptions {
  label: string;
  /** File for the new key's credentials */
  out?: string;
  /** A key that another person created; no credentials are written for it */
  publicKey?: string;
  /** Its holder's consent */
  proof?: string;
}

interface NewKey {
  publicKey: string;
  address: string;
  /** The delegate's consent to belong to an account; undefined if it cannot be given here */
  consent: ((accountId: string) => Promise<Uint8Array>) | undefined;
  privateKey: string | undefined;
}

/** Gives a key access to the account: a new key, whose credentials are written to a file, or an existing public key. */
export async function addDelegate(
  output: Output,
  options: AddDelegateOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { owner, serverUrl, accountId } = await connectAccount(options, environment);
  const scope = scopeOf(options, (await owner.readAccount(accountId)).origin);
  const key = options.publicKey === undefined ? newKey() : namedKey(options.publicKey, options.proof);
  const { consent: prove } = key;
  if (!prove)
    throw new ExitError(
      exitCodes.usage,
      `The holder of the key has to agree: they run \`npx memrelay delegate consent ${accountId}\` and give you the --proof.`,
    );
  const path = key.privateKey === undefined ? undefined : await freePath(options, environment);
  const facts: [string, string][] = [
    ...networkFacts(owner),
    ['Account', accountId],
    ['Label', options.label],
    ['Key', key.publicKey],
    ['May', describeScope(scope)],
    ...(path ? [['Credentials', path] as [string, string]] : []),
  ];
  await confirm(output, 'Give a key access to this account', facts, options.yes);
  // Written before the key is on chain: otherwise a failure would leave a key on chain that no one holds
  if (path !== undefined) {
    const credentials: CredentialFile = {
      delegatePrivateKey: key.privateKey!,
      delegatePublicKey: key.publicKey,
      delegateAddress: key.address,
      walletAddress: owner.address,
      accountId,
      packageId: owner.network.packageId,
      relayerUrl: serverUrl,
      label: options.label,
      createdAt: new Date().toISOString(),
    };
    await writeSecretFile(path, `${JSON.stringify(credentials, null, 2)}\n`);
  }
  const delegate = { publicKey: key.publicKey, address: key.address, label: options.label };
  await signAndReport(
    output,
    async () =>
      owner.addDelegate(accountId, {
        ...delegate,
        ...(scope ? { scope } : {}),
        proof: await prove(accountId),
      }),
    { public_key: key.publicKey, ...(path ? { credentials_path: path } : {}) },
  );
  if (path) output.line(`Use it with --credentials ${path}`);
}

/** Lists all delegates with their permissions. */
export async function listDelegates(
  output: Output,
  options: OwnerOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { owner, accountId } = await connectAccount(options, environment);
  const delegates = delegateRows(await owner.readAccount(accountId));
  output.result({ delegates: delegates.map(({ json }) => json) });
  const rows = [['Label', 'Key', 'Since', 'May'], ...delegates.map(({ row }) => row)];
  for (const line of delegates.length > 0 ? columns(rows) : ['There are no delegates.']) output.line(line);
}

/** Revokes a delegate. `which` is its label or its public key. */
export async function revokeDelegate(
  output: Output,
  which: string,
  options: OwnerOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { owner, accountId } = await connectAccount(options, environment);
  const { delegate_keys } = await owner.readAccount(accountId);
  const keys = delegate_keys.map(({ public_key, label }) => ({ publicKey: hex(public_key), label }));
  const found = keys.filter(({ publicKey, label }) => label === which || publicKey === which.toLowerCase());
  if (found.length !== 1)
    throw new ExitError(
      exitCodes.usage,
      found.length === 0
        ? `No delegate has the label or public key ${which}: see \`npx memrelay delegate list\`.`
        : `Several delegates have the label ${which}: name one by its public key.`,
    );
  const { publicKey, label } = found[0]!;
  await confirm(
    output,
    'Take the access of this key away',
    [...networkFacts(owner), ['Account', accountId], ['Label', label], ['Key', publicKey]],
    options.yes,
  );
  await signAndReport(output, () => owner.removeDelegate(accountId, publicKey), { public_key: publicKey });
  output.line(
    'The relayer refuses it within 5 seconds, the key servers within 2 minutes. Assume that it knows everything it could read until now. It cannot read anything stored from now on.',
  );
}

/** Removes all expired delegates, which starts a new key epoch. */
export async function pruneDelegates(
  output: Output,
  options: OwnerOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { owner, accountId } = await connectAccount(options, environment);
  const expired = delegateRows(await owner.readAccount(accountId)).filter(({ json }) => json.expired);
  if (expired.length === 0) {
    output.result({ pruned: [] });
    output.line('No delegate has expired.');
    return;
  }
  const pruned = expired.map(({ json }) => json.public_key);
  const facts: [string, string][] = expired.map(({ json }) => [json.label, json.public_key]);
  await confirm(
    output,
    'Take expired keys out of this account',
    [...networkFacts(owner), ['Account', accountId], ...facts],
    options.yes,
  );
  await signAndReport(output, () => owner.pruneExpired(accountId), { pruned });
  output.line('Memories stored from now on are sealed in a new key epoch.');
}

/** Prints a delegate's consent to be added to an account. */
export async function consent(output: Output, accountId: string, options: OwnerOptions): Promise<void> {
  if (!addressPattern.test(accountId))
    throw new ExitError(exitCodes.usage, 'The account is an object id: 0x and 64 hex digits.');
  const { delegatePrivateKey, delegatePublicKey } = await loadCredentials(options.credentials);
  const proof = await parsePrivateKey(delegatePrivateKey).sign(delegateProofMessage(accountId));
  const hex = Buffer.from(proof).toString('hex');
  output.result({ public_key: delegatePublicKey, proof: hex });
  output.line(`--public-key ${delegatePublicKey} --proof ${hex}`);
}

function newKey(): NewKey {
  const privateKey = randomBytes(32).toString('hex');
  const pair = parsePrivateKey(privateKey);
  return {
    privateKey,
    publicKey: Buffer.from(pair.getPublicKey().toRawBytes()).toString('hex'),
    address: addressOfPrivateKey(privateKey),
    consent: (accountId) => pair.sign(delegateProofMessage(accountId)),
  };
}

function namedKey(publicKey: string, proof: string | undefined): NewKey {
  if (!anyCaseHex32Pattern.test(publicKey))
    throw new ExitError(exitCodes.usage, '--public-key takes 64 hex digits.');
  if (proof !== undefined && !/^[0-9a-fA-F]{128}$/.test(proof))
    throw new ExitError(exitCodes.usage, '--proof takes 128 hex digits.');
  return {
    privateKey: undefined,
    publicKey: publicKey.toLowerCase(),
    address: delegateAddress(Buffer.from(publicKey, 'hex')),
    consent: proof === undefined ? undefined : async () => Buffer.from(proof, 'hex'),
  };
}

async function freePath(options: AddDelegateOptions, environment: NodeJS.ProcessEnv): Promise<string> {
  const name =
    options.label
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'delegate';
  const path = options.out ?? join(dataDir(environment), 'delegates', `${name}.json`);
  const taken = await access(path).then(
    () => true,
    () => false,
  );
  if (taken)
    throw new ExitError(exitCodes.usage, `${path} already exists: name another file with --out PATH.`);
  return path;
}
