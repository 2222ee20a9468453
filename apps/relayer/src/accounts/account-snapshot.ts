import type { Scope } from '@memrelay/chain/account-bcs';
import type { AccountObject } from '@memrelay/chain/account-reader';
import type { AccountSnapshot, Delegate, DelegateScope } from './account-directory.ts';

/**
 * Converts an account object to the relayer's type. u64 fields become numbers: above 2^53 they lose precision but keep
 * their order, which is enough for an expiry or a minimum epoch.
 */
export function toSnapshot({ account, objectVersion, initialSharedVersion }: AccountObject): AccountSnapshot {
  const scopes = new Map(account.scopes.map(({ key, value }) => [key, toScope(value)]));
  return {
    accountId: account.id,
    initialSharedVersion,
    objectVersion,
    origin: account.origin,
    owner: account.owner,
    active: account.active,
    keyEpoch: Number(account.key_epoch),
    delegates: account.delegate_keys.map(
      (delegate): Delegate => ({
        publicKey: hex(delegate.public_key),
        address: delegate.address,
        label: delegate.label,
        createdAtMs: Number(delegate.created_at),
        proven: delegate.proven,
        scope: scopes.get(delegate.address),
      }),
    ),
    recoveryPk: account.recovery_pk.length > 0 ? hex(account.recovery_pk) : undefined,
    stale: false,
  };
}

function toScope(scope: Scope): DelegateScope {
  return {
    perms: scope.perms,
    allNamespaces: scope.all_namespaces,
    tags: scope.tags.map(hex),
    minEpoch: Number(scope.min_epoch),
    expiresAtMs: Number(scope.expires_at_ms),
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
