import type { AccountSnapshot } from '../../accounts/account-directory.ts';
import { permissionBits } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';
import type { RelayerContext } from '../../context.ts';

/**
 * Whose signatures are believed in an account (security.md, "Writers sign"), hex: this relayer's writer keys, delegates
 * with WRITE, and delegates of the past that registered what they had sealed.
 */
export async function trustedSigners(
  context: Pick<RelayerContext, 'writerPublicKeys' | 'accountWriters'>,
  account: AccountSnapshot,
): Promise<string[]> {
  const writers = account.delegates.filter(({ scope }) => ((scope?.perms ?? 0) & permissionBits.write) !== 0);
  return [
    ...new Set([
      ...context.writerPublicKeys,
      ...writers.map(({ publicKey }) => publicKey),
      ...(await context.accountWriters.of(hexToBytes(account.accountId))),
    ]),
  ];
}
