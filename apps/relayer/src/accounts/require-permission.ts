import { permissions } from '@memrelay/chain/account-bcs';
import { ApiError } from '@memrelay/protocol/errors';
import type { Delegate, DelegateScope } from './account-directory.ts';
import type { Caller, Permission } from './caller.ts';

/** Bits of `DelegateScope.perms`. */
export const permissionBits: Readonly<Record<Permission, number>> = {
  read: permissions.read,
  write: permissions.write,
  forget: permissions.forget,
};

export interface PermissionOptions {
  /** Key epoch of the memory; default: the account's current epoch */
  keyEpoch?: number;
  nowMs?: number;
}

/**
 * Throws unless the caller has the permission in the namespace with this 16-byte tag: `delegate_expired` when the
 * delegate has expired, else `insufficient_scope`. Same rules as the contract's `Scope` (security.md, "Account
 * module").
 */
export function requirePermission(
  caller: Caller,
  permission: Permission,
  tag: Uint8Array,
  options: PermissionOptions = {},
): void {
  const scope = liveScope(caller, options);
  if ((scope.perms & permissionBits[permission]) === 0) throw new ApiError('insufficient_scope');
  if (scope.allNamespaces) return;
  if (!scope.tags.includes(Buffer.from(tag).toString('hex'))) throw new ApiError('insufficient_scope');
}

/** Whether the caller has the permission (see `requirePermission`). */
export function hasPermission(...request: Parameters<typeof requirePermission>): boolean {
  try {
    requirePermission(...request);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/**
 * The namespaces in which the caller has the permission: `'all'`, or their tags (32 hex digits each). Lists show only
 * these. Throws like `requirePermission` when it has the permission in no namespace.
 */
export function namespacesWith(
  caller: Caller,
  permission: Permission,
  options: PermissionOptions = {},
): 'all' | ReadonlySet<string> {
  const scope = liveScope(caller, options);
  if ((scope.perms & permissionBits[permission]) === 0) throw new ApiError('insufficient_scope');
  return scope.allNamespaces ? 'all' : new Set(scope.tags);
}

/**
 * Throws `auth_unavailable` when the account state is stale. For calls that decrypt or delete (security.md, "Requests
 * and sessions").
 */
export function requireFreshAccount(caller: Caller): void {
  if (caller.account.stale) throw new ApiError('auth_unavailable');
}

/** Whether the delegate has expired; true from the millisecond of its expiry on. */
export function isExpired(delegate: Delegate, nowMs: number): boolean {
  const expiresAtMs = delegate.scope?.expiresAtMs ?? 0;
  return expiresAtMs !== 0 && nowMs >= expiresAtMs;
}

/** The scope, unless it is missing, expired, or begins after the key epoch. Throws like `requirePermission`. */
function liveScope(caller: Caller, options: PermissionOptions): DelegateScope {
  const { keyEpoch = caller.account.keyEpoch, nowMs = Date.now() } = options;
  const { scope } = caller.delegate;
  if (isExpired(caller.delegate, nowMs)) throw new ApiError('delegate_expired');
  if (!scope || keyEpoch < scope.minEpoch) throw new ApiError('insufficient_scope');
  return scope;
}
