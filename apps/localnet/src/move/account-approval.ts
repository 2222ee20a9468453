import type { Account } from '@memrelay/chain/account-bcs';
import { accountVersion } from '@memrelay/chain/account-limits';
import { bcs } from '@mysten/sui/bcs';
import type { NativeContext } from '../execution/native.ts';
import { type AccountObject, check, scopeOf } from './account-rules.ts';
import { canRead, isExpired } from './account-scope.ts';

const identityLength = 56;
const tagStart = 32;
const epochStart = 48;

/** `seal_approve` has no clock, so it treats every expiry as past. */
const endOfTime = 0xffff_ffff_ffff_ffffn;

/** The function that key servers run before they return a key. Aborts with `no_access` if access is denied. */
export function sealApprove(context: NativeContext, id: Uint8Array, account: AccountObject): void {
  check(mayRead(account.value, id, context.sender, endOfTime), 'no_access', 'seal_approve');
}

/** The same for delegates with an expiry. */
export function sealApproveAt(context: NativeContext, id: Uint8Array, account: AccountObject): void {
  check(mayRead(account.value, id, context.sender, context.nowMs), 'no_access', 'seal_approve_at');
}

function mayRead(account: Account, id: Uint8Array, reader: string, nowMs: bigint): boolean {
  if (account.version !== accountVersion) return false;
  if (!account.active) return false;
  if (id.length !== identityLength) return false;
  const origin = bcs.Address.serialize(account.origin).toBytes();
  if (Buffer.compare(id.subarray(0, tagStart), origin) !== 0) return false;
  const epoch = new DataView(id.buffer, id.byteOffset).getBigUint64(epochStart, true);
  // Applies to the owner too, so that a stolen session cannot fetch keys of future epochs in advance.
  if (epoch > account.key_epoch) return false;
  if (reader === account.owner) return true;
  const scope = scopeOf(account, reader);
  if (!scope) return false;
  return !isExpired(scope, nowMs) && canRead(scope, id.subarray(tagStart, epochStart), epoch);
}
