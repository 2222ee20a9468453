import { ApiError } from '@memrelay/protocol/errors';
import type { GrantScope } from '@memrelay/protocol/oauth';
import type { AccountSnapshot, Delegate } from '../../accounts/account-directory.ts';
import { scopeText } from '../rows/grant-rows.ts';

/** The active delegate with this key; undefined when it was removed, has expired, or its account is deactivated. */
export function livingDelegate(
  account: AccountSnapshot | undefined,
  publicKey: string,
  nowMs: number,
): Delegate | undefined {
  const delegate = account?.active
    ? account.delegates.find((candidate) => candidate.publicKey === publicKey)
    : undefined;
  const endsAtMs = delegate?.scope?.expiresAtMs ?? 0;
  if (!delegate?.scope || (endsAtMs !== 0 && endsAtMs <= nowMs)) return undefined;
  return delegate;
}

/**
 * Checks that the key is registered with the scope that the owner consented to. Throws `consent_not_registered` while
 * it is not on chain or has another scope.
 */
export function requireRegistered(
  account: AccountSnapshot | undefined,
  publicKey: string,
  scope: GrantScope,
  nowMs: number,
): void {
  const delegate = livingDelegate(account, publicKey, nowMs);
  const onChain = delegate?.scope;
  const same =
    onChain &&
    onChain.minEpoch === 0 &&
    scopeText({
      perms: onChain.perms,
      allNamespaces: onChain.allNamespaces,
      tags: [...onChain.tags],
      expiresAtMs: String(onChain.expiresAtMs),
    }) === scopeText(scope);
  if (!same || account?.stale) throw new ApiError('consent_not_registered');
}
