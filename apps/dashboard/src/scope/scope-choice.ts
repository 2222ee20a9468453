import { namespaceTag } from '@memrelay/envelope/namespace-tag';
import { portablePrimitives } from '@memrelay/envelope/portable-primitives';
import { fromHex, toHex } from '@memrelay/protocol/bytes';
import type { ScopeState } from '../wallet/wallet-api.ts';

/** `Scope.perms` of the account module. */
export const permissions = { read: 1, write: 2, forget: 4 } as const;

/** The access that the user grants a key. */
export interface ScopeChoice {
  /** Sum of `permissions` */
  perms: number;
  /** Names; undefined = all namespaces */
  namespaces: readonly string[] | undefined;
  /** Unix time in ms; undefined = until it is revoked */
  expiresAt: number | undefined;
}

/** The choice as stored on chain: namespaces only as tags, which depend on the account's `origin`. */
export function scopeOf(choice: ScopeChoice, origin: string): ScopeState {
  const tags = (choice.namespaces ?? []).map((name) =>
    toHex(namespaceTag(portablePrimitives, fromHex(origin), name)),
  );
  return {
    perms: choice.perms,
    allNamespaces: choice.namespaces === undefined,
    tags: [...new Set(tags)],
    expiresAtMs: String(choice.expiresAt ?? 0),
  };
}

/** `recall and save, in all namespaces, until 3 March 2027` */
export function scopeWords({ perms, allNamespaces, tags, expiresAtMs }: ScopeState): string {
  const may = [
    ...((perms & permissions.read) !== 0 ? ['recall'] : []),
    ...((perms & permissions.write) !== 0 ? ['save'] : []),
    ...((perms & permissions.forget) !== 0 ? ['forget'] : []),
  ];
  const what = may.length > 1 ? `${may.slice(0, -1).join(', ')} and ${may.at(-1)}` : (may[0] ?? 'nothing');
  const where = allNamespaces ? 'all namespaces' : `${tags.length} namespace${tags.length === 1 ? '' : 's'}`;
  return `${what}, in ${where}, ${untilWords(Number(expiresAtMs))}`;
}

function untilWords(expiresAt: number): string {
  const date = new Date(expiresAt);
  // The chain allows times that Date cannot represent
  if (expiresAt === 0 || Number.isNaN(date.getTime())) return 'until you revoke it';
  const day = date.toLocaleDateString(undefined, { dateStyle: 'long' });
  return expiresAt <= Date.now() ? `expired on ${day}` : `until ${day}`;
}
