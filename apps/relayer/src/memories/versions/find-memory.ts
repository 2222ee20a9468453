import { ApiError } from '@memrelay/protocol/errors';
import { uuidPattern } from '@memrelay/protocol/fields';
import type { Caller, Permission } from '../../accounts/caller.ts';
import { hasPermission } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { ScopeParts } from '../reading/scope-namespaces.ts';
import { type NamedMemory, readNamedMemory } from '../rows/version-rows.ts';

/**
 * The memory that an id names, if the caller has one of these permissions in its namespace. Throws `memory_not_found`
 * in all other cases alike: unknown, failed, forgotten, of another account, or out of the key's scope.
 */
export async function findMemory(
  parts: ScopeParts,
  caller: Caller,
  id: string,
  namespace: string | undefined,
  visibleWith: readonly Permission[],
): Promise<NamedMemory> {
  const { accountId, origin } = caller.account;
  const found = uuidPattern.test(id)
    ? await readNamedMemory(parts.db, hexToBytes(accountId), id.toLowerCase())
    : undefined;
  const isNamed = found && (namespace === undefined || namespace === found.namespace);
  const isVisible =
    isNamed &&
    visibleWith.some((permission) => hasPermission(caller, permission, parts.tagOf(origin, found.namespace)));
  if (!isVisible) throw new ApiError('memory_not_found');
  return found;
}
