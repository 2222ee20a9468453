import type { AccountSnapshot } from '../../accounts/account-directory.ts';
import type { AccountWriters } from '../../accounts/account-writers.ts';
import { permissionBits } from '../../accounts/require-permission.ts';
import { hexToBytes } from '../../base/db/hex.ts';

export interface SignerParts {
  /** Public halves of the relayer's writer keys, hex */
  writerPublicKeys: readonly string[];
  accountWriters: Pick<AccountWriters, 'of'>;
}

/**
 * Returns the keys whose signatures are trusted in an account (security.md, "Writers sign"), hex: this relayer's writer
 * keys, delegates with WRITE, and former delegates that registered memories they had sealed.
 */
export async function trustedSigners(parts: SignerParts, account: AccountSnapshot): Promise<string[]> {
  const writers = account.delegates.filter(({ scope }) => ((scope?.perms ?? 0) & permissionBits.write) !== 0);
  return [
    ...new Set([
      ...parts.writerPublicKeys,
      ...writers.map(({ publicKey }) => publicKey),
      ...(await parts.accountWriters.of(hexToBytes(account.accountId))),
    ]),
  ];
}
