import type { Account, AccountEventName, DelegateKey, Scope } from '@memrelay/chain/account-bcs';
import { type AccountAbortName, accountAbort, accountVersion } from '@memrelay/chain/account-limits';
import { MoveAbort, type MoveObject, type NativeContext } from '../execution/native.ts';

/**
 * Helpers shared by the functions of the account module. Names in quotes are those of the Move functions that abort.
 */

export type AccountObject = MoveObject<Account>;

/** Aborts with the code of `name` unless `condition` holds, as `assert!` does in `functionName`. */
export function check(condition: boolean, name: AccountAbortName, functionName: string): asserts condition {
  if (!condition) throw new MoveAbort(accountAbort[name], 'account', functionName);
}

export function checkVersion(account: Account): void {
  check(account.version === accountVersion, 'wrong_version', 'assert_version');
}

export function checkOwner(account: Account, context: NativeContext): void {
  check(account.owner === context.sender, 'not_owner', 'assert_owner');
}

export function checkActive(account: Account): void {
  check(account.active, 'deactivated', 'assert_active');
}

/** The only place where the key epoch changes. */
export function bump(account: Account): void {
  account.key_epoch += 1n;
}

export function scopeOf(account: Account, address: string): Scope | undefined {
  return account.scopes.find((entry) => entry.key === address)?.value;
}

/** Emits an event with the fields of every event: the account's id and its current key epoch. */
export function emit(
  context: NativeContext,
  { id, value }: AccountObject,
  name: AccountEventName,
  fields: Record<string, unknown>,
): void {
  context.emit(name, { account_id: id, ...fields, key_epoch: value.key_epoch });
}

export function emitRemoved(context: NativeContext, object: AccountObject, removed: DelegateKey[]): void {
  for (const { public_key, address } of removed) {
    emit(context, object, 'DelegateKeyRemoved', { public_key, address });
  }
}
