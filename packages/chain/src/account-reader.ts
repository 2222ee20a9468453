import { ObjectError, type SuiClientTypes } from '@mysten/sui/client';
import { normalizeStructTag } from '@mysten/sui/utils';
import { type Account, accountBcs } from './account-bcs.ts';
import type { ChainClient } from './chain-client.ts';
import { ChainUnavailableError } from './chain-errors.ts';

/** An account object with its id and versions on chain. */
export interface AccountObject {
  account: Account;
  objectVersion: bigint;
  /** Decimal; transactions refer to a shared object by its id and this version */
  initialSharedVersion: string;
}

/**
 * Reads accounts by object id, 50 per call. The result contains only ids that are accounts of exactly this package. Throws
 * `ChainUnavailableError` and `ChainRejectedError`.
 */
export async function readAccounts(
  chain: ChainClient,
  packageId: string,
  ids: readonly string[],
): Promise<Map<string, AccountObject>> {
  const accountType = normalizeStructTag(`${packageId}::account::Account`);
  const { objects } = await chain.call((sui, signal) =>
    sui.core.getObjects({ objectIds: [...ids], include: { content: true }, signal }),
  );
  const accounts = new Map<string, AccountObject>();
  for (const object of objects) {
    if (object instanceof ObjectError) {
      if (object.reason === 'unknown')
        throw new ChainUnavailableError('an object could not be read', { cause: object });
    } else if (object instanceof Error) {
      throw new ChainUnavailableError('an object could not be read', { cause: object });
    } else if (object.type === accountType && object.owner.$kind === 'Shared') {
      const parsed = parseAccount(object, object.owner.Shared.initialSharedVersion);
      accounts.set(parsed.account.id, parsed);
    }
  }
  return accounts;
}

/** One account, or undefined if the id is not an account of this package. Throws like `readAccounts`. */
export async function readAccount(
  chain: ChainClient,
  packageId: string,
  id: string,
): Promise<AccountObject | undefined> {
  return (await readAccounts(chain, packageId, [id])).values().next().value;
}

function parseAccount(
  object: SuiClientTypes.Object<{ content: true }>,
  initialSharedVersion: string,
): AccountObject {
  try {
    const account = accountBcs.parse(object.content);
    if (account.id !== object.objectId) throw new RangeError('contents name another object');
    return { account, objectVersion: BigInt(object.version), initialSharedVersion };
  } catch (cause) {
    // A node that returns bytes of another type is faulty, so this does not mean that there is no account
    throw new ChainUnavailableError('an account object could not be parsed', { cause });
  }
}
