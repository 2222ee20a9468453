import { ApiError } from '@memrelay/protocol/errors';
import type { GrantScope } from '@memrelay/protocol/oauth';
import type { AccountSnapshot, Delegate } from '../../accounts/account-directory.ts';
import { scopeText } from '../rows/grant-rows.ts';

/** The delegate as it may act now; undefined when it is gone, has ended, or its account is switched off. */
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
 * Holds a key's registration to what was consented to. Throws `consent_not_registered` while the chain does not have the
 * key, or has it with another scope.
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
