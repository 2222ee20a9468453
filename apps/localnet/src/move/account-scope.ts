import type { Scope } from '@memrelay/chain/account-bcs';
import { permissions } from '@memrelay/chain/account-bcs';
import { maxScopeTags } from '@memrelay/chain/account-limits';

/** Mirrors the Move module `scope`: the rights of a delegate, with namespaces, first key epoch and expiry. */

const tagLength = 16;

export function isValidScope(scope: Scope, nowMs: bigint): boolean {
  return (
    scope.perms <= permissions.all &&
    !isExpired(scope, nowMs) &&
    scope.tags.length <= maxScopeTags &&
    scope.tags.every((tag) => tag.length === tagLength && tag.some((byte) => byte !== 0))
  );
}

/** Whether `scope` lacks a right, namespace, key epoch or time that `old` has. */
export function narrows(scope: Scope, old: Scope): boolean {
  return (
    (old.perms & scope.perms) !== old.perms ||
    scope.min_epoch > old.min_epoch ||
    endsBefore(scope.expires_at_ms, old.expires_at_ms) ||
    losesNamespace(scope, old)
  );
}

export function isExpired(scope: Scope, nowMs: bigint): boolean {
  return scope.expires_at_ms !== 0n && nowMs >= scope.expires_at_ms;
}

/** Whether the scope allows reading the namespace `tag` at key epoch `epoch`. Does not check the expiry. */
export function canRead(scope: Scope, tag: Uint8Array, epoch: bigint): boolean {
  return (
    (scope.perms & permissions.read) !== 0 &&
    epoch >= scope.min_epoch &&
    (scope.all_namespaces || hasTag(scope, tag))
  );
}

function endsBefore(expiry: bigint, oldExpiry: bigint): boolean {
  return expiry !== 0n && (oldExpiry === 0n || expiry < oldExpiry);
}

function losesNamespace(scope: Scope, old: Scope): boolean {
  if (scope.all_namespaces) return false;
  return old.all_namespaces || old.tags.some((tag) => !hasTag(scope, tag));
}

function hasTag(scope: Scope, tag: Uint8Array): boolean {
  return scope.tags.some((own) => Buffer.compare(own, tag) === 0);
}
