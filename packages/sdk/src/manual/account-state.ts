import type { Account } from '@memrelay/chain/account-bcs';
import { type AccountObject, readAccount } from '@memrelay/chain/account-reader';
import { fromHex } from '@memrelay/protocol/bytes';
import { untilAborted } from '../wire/abort.ts';
import { MemRelayError } from '../wire/errors.ts';
import type { ManualNetwork } from './manual-network.ts';

/** The account as read from the chain, never from the relayer. */
export interface AccountState extends AccountObject {
  account: Account;
  /** 32 bytes; every key identity of the account starts with it */
  origin: Uint8Array;
}

/**
 * Maximum age of cached account state. A client must seal under a new key epoch within 60 s (security.md, "What revocation
 * promises"); the other half of that time is for a call already in progress.
 */
export const maxAccountAgeMs = 30_000;

export interface AccountSource {
  /**
   * At most `maxAgeMs` old; concurrent callers share one read. Throws `chain_unavailable`, also for a response older than the
   * known state, and `invalid_argument` if the account does not exist.
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
      throw unavailable('it did not respond', cause);
    });
    if (!found)
      throw new MemRelayError(
        'invalid_argument',
        `${accountId} is not an account of the package ${packageId}.`,
      );
    if (known && found.objectVersion < known.state.objectVersion)
      throw unavailable('it returned an older state than before');
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
