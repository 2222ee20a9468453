import type { Caller } from '../../accounts/caller.ts';
import { namespacesWith } from '../../accounts/require-permission.ts';
import type { Db } from '../../base/db/db.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import { readNamespaceNames } from '../rows/page-rows.ts';

export interface NamespaceTags {
  /** 16-byte tag of a namespace of the account with this origin address */
  tagOf(origin: string, namespace: string): Uint8Array;
}

export interface ScopeParts extends NamespaceTags {
  db: Db;
}

/**
 * Returns a test for whether the caller may read a namespace, by name. Throws `insufficient_scope` if it may read none.
 */
export function readableNamespace(parts: NamespaceTags, caller: Caller): (namespace: string) => boolean {
  const scope = namespacesWith(caller, 'read');
  if (scope === 'all') return () => true;
  const { origin } = caller.account;
  return (namespace) => scope.has(Buffer.from(parts.tagOf(origin, namespace)).toString('hex'));
}

/**
 * Returns the namespaces that the caller may read, by name. A scope contains tags, and a tag can only be computed from
 * a name. Throws `insufficient_scope` if it may read none.
 */
export async function readableNamespaces(
  parts: ScopeParts,
  caller: Caller,
): Promise<'all' | readonly string[]> {
  const isReadable = readableNamespace(parts, caller);
  if (namespacesWith(caller, 'read') === 'all') return 'all';
  const names = await readNamespaceNames(parts.db, hexToBytes(caller.account.accountId));
  return names.filter(isReadable);
}
