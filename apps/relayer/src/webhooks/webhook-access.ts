import type { DeliveryError } from '@memrelay/protocol/webhooks';
import type { AccountDirectory } from '../accounts/account-directory.ts';
import { namespacesWith } from '../accounts/require-permission.ts';
import { bytesToAddress } from '../base/db/hex.ts';

export interface AccessParts {
  accounts: Pick<AccountDirectory, 'account'>;
  /** 16-byte tag of a namespace of the account with this origin address */
  tagOf(origin: string, namespace: string): Uint8Array;
}

export type AccessProblem = Extract<
  DeliveryError,
  'account_unavailable' | 'key_not_allowed' | 'not_in_scope'
>;

/**
 * Why the key that registered a webhook may not learn about a namespace now; undefined if it may. A webhook must not outlive
 * the permission of its key. Without a namespace: whether it may read any.
 */
export async function accessProblem(
  { accounts, tagOf }: AccessParts,
  accountId: Buffer,
  delegatePk: Buffer,
  namespace: string | undefined,
): Promise<AccessProblem | undefined> {
  const account = await accounts.account(bytesToAddress(accountId)).catch(() => undefined);
  if (!account?.active) return 'account_unavailable';
  const publicKey = delegatePk.toString('hex');
  const delegate = account.delegates.find((each) => each.publicKey === publicKey);
  if (!delegate) return 'key_not_allowed';
  const { address } = delegate;
  const credentials = { encSession: undefined, delegateKey: undefined };
  let readable: ReturnType<typeof namespacesWith>;
  try {
    readable = namespacesWith({ account, delegate, publicKey, address, credentials }, 'read');
  } catch {
    return 'key_not_allowed';
  }
  if (readable === 'all' || namespace === undefined) return undefined;
  const tag = Buffer.from(tagOf(account.origin, namespace)).toString('hex');
  return readable.has(tag) ? undefined : 'not_in_scope';
}
