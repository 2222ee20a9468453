import { fromHex } from '@memrelay/protocol/bytes';
import { bcs } from '@mysten/bcs';
import { Transaction, type TransactionArgument } from '@mysten/sui/transactions';
import type { Scope } from './account-bcs.ts';

/**
 * Transactions of the account module. `packageId` is the version of the package to call. Each returns an unsigned
 * transaction that the owner signs, except `removeDelegateKey` (the delegate too), `acceptOwner` (the new owner) and
 * `pruneExpired` (anyone).
 */

export interface NewDelegate {
  /** 64 hex digits */
  publicKey: string;
  /** The key's chain address, see `delegateAddress` */
  address: string;
  /** At most 64 bytes of UTF-8 */
  label: string;
}

export interface ScopedDelegate extends NewDelegate {
  scope: Scope;
  /** The delegate's signature over `delegateProofMessage(accountId)`, 64 bytes */
  proof: Uint8Array;
}

/** A delegate that is added when its account is created. It has no proof, because the account has no id yet. */
export interface FirstDelegate extends NewDelegate {
  /** If omitted: full rights without an expiry */
  scope?: Scope;
}

/** Creates the sender's account, with a first delegate in the same transaction if one is passed. */
export function createAccount(packageId: string, registryId: string, delegate?: FirstDelegate): Transaction {
  const tx = new Transaction();
  const start = [tx.object(registryId), tx.object.clock()];
  if (!delegate) {
    tx.moveCall({ target: `${packageId}::account::create_account`, arguments: start });
    return tx;
  }
  const account = tx.moveCall({ target: `${packageId}::account::new_account`, arguments: start });
  addDelegate(tx, packageId, account, delegate);
  if (delegate.scope) setScope(tx, packageId, account, delegate.address, delegate.scope);
  tx.moveCall({ target: `${packageId}::account::share_account`, arguments: [account] });
  return tx;
}

/** Adds a delegate with full rights and without an expiry. */
export function addDelegateKey(packageId: string, accountId: string, delegate: NewDelegate): Transaction {
  const tx = new Transaction();
  addDelegate(tx, packageId, tx.object(accountId), delegate);
  return tx;
}

/**
 * Adds a delegate with a scope but without a proof, for a key that someone else holds: the same transaction adds it with full
 * rights (`add_delegate_key`) and narrows them, which starts a new key epoch.
 */
export function addDelegateKeyUnproven(
  packageId: string,
  accountId: string,
  delegate: NewDelegate & { scope: Scope },
): Transaction {
  const tx = new Transaction();
  const account = tx.object(accountId);
  addDelegate(tx, packageId, account, delegate);
  setScope(tx, packageId, account, delegate.address, delegate.scope);
  return tx;
}

/** Adds a delegate with a scope, and with the delegate's proof of consent. */
export function addDelegateKeyScoped(
  packageId: string,
  accountId: string,
  delegate: ScopedDelegate,
): Transaction {
  return callAccount(packageId, accountId, 'add_delegate_key_scoped', (tx) => [
    ...delegateArguments(tx, delegate),
    ...scopeArguments(tx, delegate.scope),
    tx.pure.vector('u8', delegate.proof),
    tx.object.clock(),
  ]);
}

/** Replaces the whole scope of the delegate with this address. */
export function setDelegateScope(
  packageId: string,
  accountId: string,
  address: string,
  scope: Scope,
): Transaction {
  return callAccount(packageId, accountId, 'set_delegate_scope', (tx) => [
    tx.pure.address(address),
    ...scopeArguments(tx, scope),
    tx.object.clock(),
  ]);
}

/** `publicKey` has 64 hex digits. */
export function removeDelegateKey(packageId: string, accountId: string, publicKey: string): Transaction {
  return callAccount(packageId, accountId, 'remove_delegate_key', (tx) => [
    tx.pure.vector('u8', fromHex(publicKey)),
  ]);
}

/** Removes every expired delegate. */
export function pruneExpired(packageId: string, accountId: string): Transaction {
  return callAccount(packageId, accountId, 'prune_expired', (tx) => [tx.object.clock()]);
}

export function rotateKeyEpoch(packageId: string, accountId: string): Transaction {
  return callAccount(packageId, accountId, 'rotate_key_epoch');
}

export function deactivateAccount(packageId: string, accountId: string): Transaction {
  return callAccount(packageId, accountId, 'deactivate_account');
}

export function reactivateAccount(packageId: string, accountId: string): Transaction {
  return callAccount(packageId, accountId, 'reactivate_account');
}

/** Nothing changes until `newOwner` accepts. */
export function offerOwner(packageId: string, accountId: string, newOwner: string): Transaction {
  return callAccount(packageId, accountId, 'offer_owner', (tx) => [tx.pure.address(newOwner)]);
}

export function cancelOffer(packageId: string, accountId: string): Transaction {
  return callAccount(packageId, accountId, 'cancel_offer');
}

/** The new owner starts without any delegate. */
export function acceptOwner(packageId: string, accountId: string): Transaction {
  return callAccount(packageId, accountId, 'accept_owner');
}

/** `recoveryPk` is an X25519 key; empty clears it. */
export function setRecoveryKey(packageId: string, accountId: string, recoveryPk: Uint8Array): Transaction {
  return callAccount(packageId, accountId, 'set_recovery_key', (tx) => [tx.pure.vector('u8', recoveryPk)]);
}

function callAccount(
  packageId: string,
  accountId: string,
  name: string,
  rest: (tx: Transaction) => TransactionArgument[] = () => [],
): Transaction {
  const tx = new Transaction();
  tx.moveCall({
    target: `${packageId}::account::${name}`,
    arguments: [tx.object(accountId), ...rest(tx)],
  });
  return tx;
}

function addDelegate(
  tx: Transaction,
  packageId: string,
  account: TransactionArgument,
  delegate: NewDelegate,
): void {
  tx.moveCall({
    target: `${packageId}::account::add_delegate_key`,
    arguments: [account, ...delegateArguments(tx, delegate), tx.object.clock()],
  });
}

function setScope(
  tx: Transaction,
  packageId: string,
  account: TransactionArgument,
  address: string,
  scope: Scope,
): void {
  tx.moveCall({
    target: `${packageId}::account::set_delegate_scope`,
    arguments: [account, tx.pure.address(address), ...scopeArguments(tx, scope), tx.object.clock()],
  });
}

function delegateArguments(tx: Transaction, delegate: NewDelegate): TransactionArgument[] {
  return [
    tx.pure.vector('u8', fromHex(delegate.publicKey)),
    tx.pure.address(delegate.address),
    tx.pure.string(delegate.label),
  ];
}

function scopeArguments(tx: Transaction, scope: Scope): TransactionArgument[] {
  return [
    tx.pure.u8(scope.perms),
    tx.pure.bool(scope.all_namespaces),
    tx.pure(bcs.vector(bcs.byteVector()).serialize(scope.tags)),
    tx.pure.u64(scope.min_epoch),
    tx.pure.u64(scope.expires_at_ms),
  ];
}
