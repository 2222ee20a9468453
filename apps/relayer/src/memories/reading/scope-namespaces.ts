import type { Caller } from '../../accounts/caller.ts';
import { namespacesWith } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { RelayerContext } from '../../context.ts';
import { readNamespaceNames } from './memory-pages.ts';

/** Whether the caller may read a namespace, by its name. Throws `insufficient_scope` when it may read nowhere. */
export function readableNamespace(context: RelayerContext, caller: Caller): (namespace: string) => boolean {
  const scope = namespacesWith(caller, 'read');
  if (scope === 'all') return () => true;
  const { origin } = caller.account;
  return (namespace) => scope.has(Buffer.from(context.tagOf(origin, namespace)).toString('hex'));
}

/**
 * The namespaces that the caller may read, by name: a scope holds tags, and only names lead to tags. Throws
 * `insufficient_scope` when it may read nowhere.
 */
export async function readableNamespaces(
  context: RelayerContext,
  caller: Caller,
): Promise<'all' | readonly string[]> {
  const isReadable = readableNamespace(context, caller);
  if (namespacesWith(caller, 'read') === 'all') return 'all';
  const names = await readNamespaceNames(context.db, hexToBytes(caller.account.accountId));
  return names.filter(isReadable);
}
