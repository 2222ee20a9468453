import type { Account } from '@memrelay/chain/account-bcs';
import { type AccountObject, readAccount } from '@memrelay/chain/account-reader';
import { fromHex } from '@mysten/sui/utils';
import { untilAborted } from '../wire/abort.ts';
import { MemRelayError } from '../wire/errors.ts';
import type { ManualNetwork } from './manual-network.ts';

/** The account as the chain tells it, never the relayer. */
export interface AccountState extends AccountObject {
  account: Account;
  /** 32 bytes: every key identity of the account begins with it */
  origin: Uint8Array;
}

/**
 * A client seals under a new key epoch within 60 seconds of it (security.md, "What revocation promises"): this much of
 * it is how old what it knows may be, the rest is for a call under way.
 */
export const maxAccountAgeMs = 30_000;

export interface AccountSource {
  /**
   * At most `maxAgeMs` old; one read serves all who ask meanwhile. Throws `chain_unavailable`, also for an answer from
   * before what was seen already, and `invalid_argument` when there is no such account.
   */
  read(maxAgeMs: number, signal: AbortSignal | undefined): Promise<AccountState>;
}

export function createAccountSource(
  { chain, packageId }: Pick<ManualNetwork, 'chain' | 'packageId'>,
  accountId: string,
  now: () => number = () => performance.now(),
): AccountSource {
  let known: { state: AccountState; readAt: number } | undefined;
  let reading: Promise<AccountState> | undefined;

  async function refresh(): Promise<AccountState> {
    const askedAt = now();
    const found = await readAccount(chain, packageId, accountId.toLowerCase()).catch((cause: unknown) => {
      throw unavailable('it did not answer', cause);
    });
    if (!found)
      throw new MemRelayError('invalid_argument', `${accountId} is no account of the package ${packageId}.`);
    if (known && found.objectVersion < known.state.objectVersion)
      throw unavailable('it answered from the past');
    const state = { ...found, origin: fromHex(found.account.origin) };
    known = { state, readAt: askedAt };
    return state;
  }

  return {
    async read(maxAgeMs, signal) {
      signal?.throwIfAborted();
      if (known && now() - known.readAt < maxAgeMs) return known.state;
      reading ??= refresh().finally(() => {
        reading = undefined;
      });
      return untilAborted(reading, signal);
    },
  };
}

function unavailable(why: string, cause?: unknown): MemRelayError {
  return new MemRelayError(
    'chain_unavailable',
    `The account could not be read from the chain: ${why}. Nothing was sealed or opened; the same call may succeed later.`,
    { retryable: true, cause },
  );
}
