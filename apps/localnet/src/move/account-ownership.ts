import type { Registry } from '@memrelay/chain/account-bcs';
import { accountVersion } from '@memrelay/chain/account-limits';
import { bcs } from '@mysten/sui/bcs';
import type { MoveObject, NativeContext } from '../execution/native.ts';
import { isSmallOrderX25519, keyLength } from './account-keys.ts';
import {
  type AccountObject,
  bump,
  check,
  checkActive,
  checkOwner,
  checkVersion,
  emit,
  emitRemoved,
} from './account-rules.ts';

/** The account module's functions on the account itself and its owner. */

/** Returns the new account, not yet shared. `type` is its struct tag. */
export function newAccount(
  context: NativeContext,
  { value: registry }: MoveObject<Registry>,
  type: string,
): AccountObject {
  const origin = context.sender;
  const name = { type: 'address', bytes: bcs.Address.serialize(origin).toBytes() };
  check(context.fields.get(registry.accounts.id, name) === undefined, 'account_exists', 'new_account');
  const id = context.newObjectId();
  const account: AccountObject = {
    id,
    type,
    value: {
      id,
      origin,
      owner: origin,
      active: true,
      key_epoch: 0n,
      version: accountVersion,
      delegate_keys: [],
      scopes: [],
      recovery_pk: new Uint8Array(),
      pending_owner: null,
    },
  };
  const entry = { type: '0x2::object::ID', bytes: bcs.Address.serialize(id).toBytes() };
  context.fields.set(registry.accounts.id, name, entry);
  registry.accounts.size += 1n;
  emit(context, account, 'AccountCreated', { owner: origin, created_at: context.nowMs });
  return account;
}

export function deactivateAccount(context: NativeContext, object: AccountObject): void {
  const account = object.value;
  checkVersion(account);
  checkOwner(account, context);
  check(account.active, 'already_inactive', 'deactivate_account');
  account.active = false;
  bump(account);
  emit(context, object, 'AccountDeactivated', { owner: account.owner });
}

export function reactivateAccount(context: NativeContext, object: AccountObject): void {
  const account = object.value;
  checkVersion(account);
  checkOwner(account, context);
  check(!account.active, 'already_active', 'reactivate_account');
  account.active = true;
  emit(context, object, 'AccountReactivated', { owner: account.owner });
}

export function rotateKeyEpoch(context: NativeContext, object: AccountObject): void {
  checkVersion(object.value);
  checkOwner(object.value, context);
  bump(object.value);
  emit(context, object, 'KeyEpochRotated', {});
}

export function setRecoveryKey(context: NativeContext, object: AccountObject, recoveryPk: Uint8Array): void {
  const account = object.value;
  checkVersion(account);
  checkOwner(account, context);
  checkActive(account);
  if (recoveryPk.length > 0) {
    check(recoveryPk.length === keyLength, 'bad_recovery_key', 'set_recovery_key');
    check(!isSmallOrderX25519(recoveryPk), 'bad_recovery_key', 'set_recovery_key');
  }
  const replaced = account.recovery_pk.length > 0 && Buffer.compare(account.recovery_pk, recoveryPk) !== 0;
  if (replaced) bump(account);
  account.recovery_pk = recoveryPk;
  emit(context, object, 'RecoveryKeyChanged', { recovery_pk: recoveryPk });
}

export function offerOwner(context: NativeContext, object: AccountObject, newOwner: string): void {
  checkVersion(object.value);
  checkOwner(object.value, context);
  object.value.pending_owner = newOwner;
  emit(context, object, 'OwnerOffered', { new_owner: newOwner });
}

export function cancelOffer(context: NativeContext, object: AccountObject): void {
  const account = object.value;
  checkVersion(account);
  checkOwner(account, context);
  const newOwner = account.pending_owner;
  check(newOwner !== null, 'not_offered', 'cancel_offer');
  account.pending_owner = null;
  emit(context, object, 'OwnerOfferCancelled', { new_owner: newOwner });
}

export function acceptOwner(context: NativeContext, object: AccountObject): void {
  const account = object.value;
  checkVersion(account);
  check(account.pending_owner === context.sender, 'not_offered', 'accept_owner');
  const { owner: oldOwner, delegate_keys: removed, recovery_pk: recoveryPk } = account;
  account.owner = context.sender;
  account.pending_owner = null;
  account.delegate_keys = [];
  account.scopes = [];
  account.recovery_pk = new Uint8Array();
  bump(account);
  emitRemoved(context, object, removed);
  if (recoveryPk.length > 0)
    emit(context, object, 'RecoveryKeyChanged', { recovery_pk: account.recovery_pk });
  emit(context, object, 'OwnerChanged', { old_owner: oldOwner, new_owner: account.owner });
}
