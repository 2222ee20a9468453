/** Limits and abort codes of the Move module `account`; the rules are in `contracts/README.md`. */

export const accountVersion = 1n;
export const maxDelegates = 20;
/** Bytes of UTF-8 */
export const maxLabelBytes = 64;
export const maxScopeTags = 16;

/** Codes of `MoveAbort` in the module `account`. */
export const accountAbort = {
  delegate_exists: 0,
  delegate_not_found: 1,
  too_many_delegates: 2,
  account_exists: 3,
  not_owner: 4,
  bad_key_length: 5,
  deactivated: 6,
  wrong_version: 7,
  label_too_long: 10,
  already_active: 11,
  small_order_key: 12,
  address_mismatch: 13,
  delegate_is_owner: 14,
  bad_proof: 15,
  bad_scope: 16,
  nothing_expired: 17,
  not_offered: 18,
  already_inactive: 19,
  bad_recovery_key: 20,
  /** Every rejection of `seal_approve` and `seal_approve_at` */
  no_access: 100,
} as const;

export type AccountAbortName = keyof typeof accountAbort;

/** The name of an abort code, or undefined when the module has no such code. */
export function accountAbortName(code: number | bigint): AccountAbortName | undefined {
  const found = Object.entries(accountAbort).find(([, value]) => value === Number(code));
  return found?.[0] as AccountAbortName | undefined;
}
