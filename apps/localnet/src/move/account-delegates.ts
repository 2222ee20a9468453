import { type DelegateKey, fullScope, type Scope } from '@memrelay/chain/account-bcs';
import { maxDelegates, maxLabelBytes } from '@memrelay/chain/account-limits';
import { delegateAddress } from '@memrelay/chain/delegate-key';
import type { NativeContext } from '../execution/native.ts';
import { isSmallOrderEd25519, keyLength, provesConsent } from './account-keys.ts';
import {
  type AccountObject,
  bump,
  check,
  checkActive,
  checkOwner,
  checkVersion,
  emit,
  emitRemoved,
  scopeOf,
} from './account-rules.ts';
import { isExpired, isValidScope, narrows } from './account-scope.ts';

/** The account module's functions on delegate keys. */

export interface NewDelegate {
  publicKey: Uint8Array;
  address: string;
  label: string;
}

export function addDelegateKey(context: NativeContext, object: AccountObject, delegate: NewDelegate): void {
  checkMayAdd(context, object, delegate);
  insertDelegate(context, object, delegate, { ...fullScope }, false);
}

export function addDelegateKeyScoped(
  context: NativeContext,
  object: AccountObject,
  delegate: NewDelegate,
  scope: Scope,
  proof: Uint8Array,
): void {
  checkMayAdd(context, object, delegate);
  check(isValidScope(scope, context.nowMs), 'bad_scope', 'add_delegate_key_scoped');
  check(provesConsent(proof, delegate.publicKey, object.id), 'bad_proof', 'add_delegate_key_scoped');
  insertDelegate(context, object, delegate, scope, true);
}

export function setDelegateScope(
  context: NativeContext,
  object: AccountObject,
  address: string,
  scope: Scope,
): void {
  const account = object.value;
  checkVersion(account);
  checkOwner(account, context);
  checkActive(account);
  const entry = account.scopes.find(({ key }) => key === address);
  check(entry !== undefined, 'delegate_not_found', 'set_delegate_scope');
  check(isValidScope(scope, context.nowMs), 'bad_scope', 'set_delegate_scope');
  if (narrows(scope, entry.value)) bump(account);
  entry.value = scope;
  emit(context, object, 'DelegateScopeChanged', { address, scope });
}

export function removeDelegateKey(
  context: NativeContext,
  object: AccountObject,
  publicKey: Uint8Array,
): void {
  const account = object.value;
  checkVersion(account);
  const delegate = account.delegate_keys.find((key) => Buffer.compare(key.public_key, publicKey) === 0);
  const mayRemove = account.owner === context.sender || delegate?.address === context.sender;
  check(mayRemove, 'not_owner', 'remove_delegate_key');
  check(delegate !== undefined, 'delegate_not_found', 'remove_delegate_key');
  takeDelegates(context, object, [delegate]);
}

export function pruneExpired(context: NativeContext, object: AccountObject): void {
  const account = object.value;
  checkVersion(account);
  const expired = account.delegate_keys.filter(({ address }) => {
    const scope = scopeOf(account, address);
    return scope !== undefined && isExpired(scope, context.nowMs);
  });
  check(expired.length > 0, 'nothing_expired', 'prune_expired');
  takeDelegates(context, object, expired);
}

function checkMayAdd(
  context: NativeContext,
  { value: account }: AccountObject,
  { publicKey, address, label }: NewDelegate,
): void {
  checkVersion(account);
  checkOwner(account, context);
  checkActive(account);
  const at = 'assert_may_add';
  check(publicKey.length === keyLength, 'bad_key_length', at);
  check(!isSmallOrderEd25519(publicKey), 'small_order_key', at);
  check(address === delegateAddress(publicKey), 'address_mismatch', at);
  check(address !== account.owner, 'delegate_is_owner', at);
  check(scopeOf(account, address) === undefined, 'delegate_exists', at);
  check(account.delegate_keys.length < maxDelegates, 'too_many_delegates', at);
  check(Buffer.byteLength(label) <= maxLabelBytes, 'label_too_long', at);
}

function insertDelegate(
  context: NativeContext,
  object: AccountObject,
  { publicKey, address, label }: NewDelegate,
  scope: Scope,
  proven: boolean,
): void {
  const key = { public_key: publicKey, address, label, created_at: context.nowMs, proven };
  object.value.delegate_keys.push(key);
  object.value.scopes.push({ key: address, value: scope });
  emit(context, object, 'DelegateKeyAdded', { public_key: publicKey, address, label, proven, scope });
}

/** Removes delegates with their scopes, so that a key that is added again does not get its old scope. */
function takeDelegates(context: NativeContext, object: AccountObject, removed: DelegateKey[]): void {
  const account = object.value;
  account.delegate_keys = account.delegate_keys.filter((key) => !removed.includes(key));
  account.scopes = account.scopes.filter(({ key }) => removed.every(({ address }) => address !== key));
  bump(account);
  emitRemoved(context, object, removed);
}
