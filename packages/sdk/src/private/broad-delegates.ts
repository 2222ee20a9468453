import { type Account, permissions } from '@memrelay/chain/account-bcs';
import { toHex } from '@memrelay/protocol/bytes';
import type { PrivateWarning } from './private-types.ts';

/**
 * A warning for each other delegate that may read all namespaces: anyone with its key can open private memories too. The
 * key of a server ("server key") is the usual case: with it the relayer reads what it must not read.
 */
export function broadDelegates(
  { delegate_keys, scopes }: Pick<Account, 'delegate_keys' | 'scopes'>,
  ownKey: string,
  nowMs: number,
): PrivateWarning[] {
  const scopeOf = new Map(scopes.map(({ key, value }) => [key, value]));
  return delegate_keys.flatMap(({ address, public_key, label }) => {
    const scope = scopeOf.get(address);
    const publicKey = toHex(public_key);
    if (!scope?.all_namespaces || (scope.perms & permissions.read) === 0 || publicKey === ownKey) return [];
    if (scope.expires_at_ms !== 0n && scope.expires_at_ms <= BigInt(Math.floor(nowMs))) return [];
    const message = `The delegate key ${JSON.stringify(label)} (${publicKey.slice(0, 8)}…) may read all namespaces, private ones too. If a server has it, that server can read your private memories. Limit its scope to the namespaces it needs.`;
    return [{ code: 'broad_delegate', message, publicKey, label }];
  });
}
