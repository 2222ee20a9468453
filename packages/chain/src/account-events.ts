import { parseStructTag } from '@mysten/sui/utils';
import { type AccountEvent, parseAccountEvent } from './account-bcs.ts';
import type { ChainClient } from './chain-client.ts';
import { ChainUnavailableError } from './chain-errors.ts';

/** An event of the account module with its place on the chain. */
export type EmittedAccountEvent = AccountEvent & {
  /** Digest of the transaction, and the event's index in it: together they name the event */
  transactionDigest: string;
  eventIndex: number;
  /** Address that signed the transaction */
  sender: string;
};

export interface AccountEventPage {
  /** In ledger order */
  events: EmittedAccountEvent[];
  /** Start of the next page; the passed cursor when nothing is new. Opaque text. */
  cursor: string | null;
  /** True if there are more events to read immediately */
  more: boolean;
}

/**
 * The account module's events after `cursor` (null: from the first that the node still has), at most 50. A reader that
 * continues from a stored cursor misses no event. `packageId` is the package that defines the types, so events of later
 * versions of the package are included. Throws `ChainUnavailableError` and `ChainRejectedError`.
 */
export async function readAccountEvents(
  chain: ChainClient,
  packageId: string,
  cursor: string | null,
): Promise<AccountEventPage> {
  const page = await chain.call((sui, signal) =>
    sui.core.listEvents({
      filter: { eventType: `${packageId}::account` },
      after: cursor,
      limit: 50,
      signal,
    }),
  );
  const events: EmittedAccountEvent[] = [];
  for (const { eventType, bcs, transactionDigest, eventIndex, sender } of page.events) {
    const event = parse(parseStructTag(eventType).name, bcs);
    if (event) events.push({ ...event, transactionDigest, eventIndex, sender });
  }
  return { events, cursor: page.endCursor ?? cursor, more: page.hasNextPage };
}

function parse(name: string, contents: Uint8Array): AccountEvent | undefined {
  try {
    return parseAccountEvent(name, contents);
  } catch (cause) {
    throw new ChainUnavailableError(`an event ${name} could not be parsed`, { cause });
  }
}
