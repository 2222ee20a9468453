import { addressPattern } from '@memrelay/protocol/address';
import type { Account, Done } from '@memrelay/sdk/account/account-owner';
import { confirm } from '../owner/confirm.ts';
import {
  type ConnectedOwner,
  connectAccount,
  connectOwner,
  type OwnerOptions,
} from '../owner/connect-owner.ts';
import { newRecoveryFile } from '../owner/recovery-file.ts';
import { describeScope } from '../owner/scope-options.ts';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { columns, plainText } from '../terminal/plain-text.ts';

export interface CreateAccountOptions extends OwnerOptions {
  /** File for a new recovery key */
  recoveryKey?: string;
}

/** Creates the wallet's account, with a recovery key if a file for it is given. */
export async function createAccount(
  output: Output,
  options: CreateAccountOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { owner } = await connectOwner(options, environment);
  const existing = await owner.findAccount();
  if (existing !== undefined)
    throw new ExitError(
      exitCodes.usage,
      `This wallet already has an account: ${existing}. Each wallet has one.`,
    );
  const { recoveryKey: path } = options;
  const facts: [string, string][] = path === undefined ? [] : [['Recovery key', `a new one in ${path}`]];
  await confirm(output, 'Make an account for this wallet', [...networkFacts(owner), ...facts], options.yes);
  const recovery = path === undefined ? undefined : await newRecoveryFile(path);
  output.step('Making the account');
  const done = await owner.createAccount();
  if (recovery) await owner.setRecoveryKey(done.accountId, recovery.publicKey);
  output.done();
  report(output, done, {
    account_id: done.accountId,
    ...(recovery ? { recovery_pk: hex(recovery.publicKey), recovery_key_path: path } : {}),
  });
  output.line(`Account ${done.accountId}`);
  output.line(
    recovery
      ? `Keep ${path} away from this machine: with it alone every memory can be opened.`
      : 'Without a recovery key memories are lost with their key servers: npx memrelay key recovery --out FILE',
  );
  output.line('Next: npx memrelay delegate add --label laptop');
}

/** Shows the account's state on chain. */
export async function showAccount(
  output: Output,
  options: OwnerOptions,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const { owner, accountId } = await connectAccount(options, environment);
  const account = await owner.readAccount(accountId);
  output.result(accountJson(account));
  const rows = [
    ['Account', account.id],
    ['Network', owner.network.name],
    ['Owner', account.owner + (account.owner === owner.address ? ' (this wallet)' : '')],
    ['Offered to', account.pending_owner ?? 'no one'],
    ['Active', account.active ? 'yes' : 'no'],
    ['Key epoch', String(account.key_epoch)],
    ['Delegates', String(account.delegate_keys.length)],
    ['Recovery key', account.recovery_pk.length > 0 ? 'set' : 'none'],
  ];
  for (const line of columns(rows)) output.line(line);
}

export type AccountChange = 'transfer' | 'cancel-transfer' | 'accept' | 'deactivate' | 'reactivate';

/** Changes the account's owner, or switches the account on or off. `newOwner` is for `transfer`. */
export async function changeAccount(
  output: Output,
  change: AccountChange,
  options: OwnerOptions,
  environment: NodeJS.ProcessEnv,
  newOwner = '',
): Promise<void> {
  const { owner, accountId } = await connectAccount(options, environment);
  const changes: Record<AccountChange, { what: string; after: string; run: () => Promise<Done> }> = {
    transfer: {
      what: `Offer this account to ${newOwner}`,
      after:
        'Nothing has changed yet. The other wallet accepts with `npx memrelay account accept --account ID`; all delegates end with that.',
      run: () => owner.offerOwner(accountId, newOwner),
    },
    'cancel-transfer': {
      what: 'Withdraw the offer of this account',
      after: 'The account stays with this wallet.',
      run: () => owner.cancelOffer(accountId),
    },
    accept: {
      what: 'Take over this account',
      after: 'It has no delegates now. Next: npx memrelay delegate add --label laptop',
      run: () => owner.acceptOwner(accountId),
    },
    deactivate: {
      what: 'Switch this account off: no one can read or write until it is switched on again',
      after: 'The account is off. `npx memrelay account reactivate` switches it on.',
      run: () => owner.deactivate(accountId),
    },
    reactivate: {
      what: 'Switch this account on again',
      after: 'The account works again.',
      run: () => owner.reactivate(accountId),
    },
  };
  if (change === 'transfer' && !addressPattern.test(newOwner))
    throw new ExitError(exitCodes.usage, 'The new owner is an address: 0x and 64 hex digits.');
  const { what, after, run } = changes[change];
  await confirm(output, what, [...networkFacts(owner), ['Account', accountId]], options.yes);
  await signAndReport(output, run, { account_id: accountId });
  output.line(after);
}

/** The signing wallet, the network and the account, for the person who confirms. */
export function networkFacts(owner: ConnectedOwner['owner']): [string, string][] {
  return [
    ['Network', owner.network.name],
    ['Wallet', owner.address],
  ];
}

/** Signs the change and prints the transaction once it is on chain. */
export async function signAndReport(output: Output, run: () => Promise<Done>, more: object): Promise<void> {
  output.step('Signing and waiting for the chain');
  const done = await run();
  output.done();
  report(output, done, more);
}

/** Prints the transaction, for a program and for a person. */
function report(output: Output, { digest, paidBy }: Done, more: object): void {
  output.result({ digest, paid_by: paidBy, ...more });
  output.line(`Transaction ${digest}, gas paid by the ${paidBy}`);
}

function accountJson(account: Account) {
  return {
    account_id: account.id,
    origin: account.origin,
    owner: account.owner,
    pending_owner: account.pending_owner,
    active: account.active,
    key_epoch: Number(account.key_epoch),
    recovery_pk: hex(account.recovery_pk),
    delegates: delegateRows(account).map(({ json }) => json),
  };
}

export interface DelegateRow {
  json: {
    public_key: string;
    address: string;
    label: string;
    created_at: string;
    proven: boolean;
    may: string;
    expired: boolean;
  };
  row: string[];
}

/** Every delegate of an account, for a program and for a person. */
export function delegateRows(account: Account): DelegateRow[] {
  const scopes = new Map(account.scopes.map(({ key, value }) => [key, value]));
  return account.delegate_keys.map(({ public_key, address, label, created_at, proven }) => {
    const scope = scopes.get(address);
    const publicKey = hex(public_key);
    const createdAt = new Date(Number(created_at)).toISOString();
    const may = describeScope(scope);
    const end = scope?.expires_at_ms ?? 0n;
    const expired = end > 0n && end <= BigInt(Date.now());
    return {
      json: { public_key: publicKey, address, label, created_at: createdAt, proven, may, expired },
      row: [
        plainText(label) || '(no label)',
        publicKey,
        createdAt.slice(0, 10),
        expired ? `nothing any more: ${may}` : may,
      ],
    };
  });
}

export function hex(bytes: Iterable<number>): string {
  return Buffer.from([...bytes]).toString('hex');
}
