import type { Wrap } from '@memrelay/envelope/wraps';
import type { Caller, Permission } from '../../accounts/caller.ts';
import { namespacesWith } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { KeyRewraps } from '../../keys/key-rewraps.ts';
import { decodeColumn } from '../../keys/namespace-keys.ts';
import type { ScopeParts } from '../reading/scope-namespaces.ts';
import { readNamespaceKeys } from '../rows/key-rows.ts';
import { readNamespaceNames, readUnfinishedNames } from '../rows/page-rows.ts';

/** A key pair that memories of a namespace are sealed to. */
export interface AccountKey {
  namespace: string;
  /** 32 hex digits */
  tag: string;
  keyEpoch: number;
  /** 64 hex digits */
  recipientPk: string;
  /** Whether the current key servers can open it, by an original wrap or a later one */
  isCurrent: boolean;
  wraps: Wrap[];
}

export interface AccountKeyParts extends ScopeParts {
  keyRewraps: Pick<KeyRewraps, 'of' | 'serverSet'>;
}

/**
 * Returns the key pairs that this relayer made for namespaces in which the caller has these permissions, in the order
 * of their public keys. Pairs that clients made are only in their own envelopes. Throws `insufficient_scope`.
 */
export async function accountKeys(
  parts: AccountKeyParts,
  caller: Caller,
  permissions: readonly Permission[],
): Promise<AccountKey[]> {
  const scopes = permissions.map((permission) => namespacesWith(caller, permission));
  const accountId = hexToBytes(caller.account.accountId);
  const [stored, unfinished, rewraps, keys] = await Promise.all([
    readNamespaceNames(parts.db, accountId),
    readUnfinishedNames(parts.db, accountId),
    parts.keyRewraps.of(accountId),
    readNamespaceKeys(parts.db, accountId),
  ]);
  const byTag = new Map(
    [...stored, ...unfinished].map((name) => [
      Buffer.from(parts.tagOf(caller.account.origin, name)).toString('hex'),
      name,
    ]),
  );
  return keys.flatMap(({ tag, keyEpoch, serverSet, recipientPk, wraps }): AccountKey[] => {
    const namespace = byTag.get(tag);
    // A key that no memory was sealed to does not have to be opened
    if (namespace === undefined || !scopes.every((scope) => scope === 'all' || scope.has(tag))) return [];
    return [
      {
        namespace,
        tag,
        keyEpoch,
        recipientPk,
        isCurrent: serverSet === parts.keyRewraps.serverSet || rewraps.has(recipientPk),
        wraps: decodeColumn(wraps),
      },
    ];
  });
}
