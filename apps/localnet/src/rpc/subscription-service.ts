import { GrpcTypes } from '@mysten/sui/grpc';
import type { Chain } from '../chain/chain.ts';
import type { StoredTransaction } from '../execution/store.ts';
import { checkpointToProto } from '../proto/checkpoint-to-proto.ts';
import { ReadMask } from '../proto/read-mask.ts';
import { matchesEvent, matchesTransaction } from './filters.ts';
import { type ServiceHandlers, stream } from './handlers.ts';
import { encodeCursor, placedEvent } from './history.ts';

/**
 * `sui.rpc.v2.SubscriptionService`: delivers new events and does not replay old ones. The first frame contains only
 * the watermark after which everything is delivered. Clients read earlier events with the `List…` methods up to
 * that cursor.
 */
export function subscriptionService(chain: Chain): ServiceHandlers {
  return {
    SubscribeCheckpoints: stream(async function* (
      request: GrpcTypes.SubscribeCheckpointsRequest,
      { signal },
    ) {
      for await (const stored of newTransactions(chain, chain.tip.seq, signal)) {
        if (!matchesTransaction(request.filter, stored)) continue;
        yield {
          cursor: BigInt(stored.seq),
          checkpoint: checkpointToProto(chain.store, stored, request.readMask),
        };
      }
    }),
    SubscribeTransactions: stream(async function* (
      request: GrpcTypes.SubscribeTransactionsRequest,
      { signal },
    ) {
      const start = chain.tip.seq;
      yield { watermark: { cursor: encodeCursor(start + 1), checkpoint: BigInt(start) } };
      for await (const stored of newTransactions(chain, start, signal)) {
        const watermark = { cursor: encodeCursor(stored.seq + 1), checkpoint: BigInt(stored.seq) };
        if (!matchesTransaction(request.filter, stored)) {
          yield { watermark };
          continue;
        }
        const executed = GrpcTypes.ExecutedTransaction.fromBinary(stored.executed);
        yield { transaction: new ReadMask(request.readMask, ['digest']).apply(executed), watermark };
      }
    }),
    SubscribeEvents: stream(async function* (request: GrpcTypes.SubscribeEventsRequest, { signal }) {
      const start = chain.tip.seq;
      let after = chain.store.lastEventSeq(start);
      yield { watermark: { cursor: encodeCursor(after), checkpoint: BigInt(start) } };
      for await (const stored of newTransactions(chain, start, signal)) {
        const checkpoint = BigInt(stored.seq);
        const last = chain.store.lastEventSeq(stored.seq);
        const range = { after, before: last + 1, descending: false, limit: last - after };
        after = last;
        for (const event of chain.store.events(range)) {
          if (!matchesEvent(request.filter, event)) continue;
          const watermark = { cursor: encodeCursor(event.seq), checkpoint };
          yield { event: placedEvent(event, request.readMask), watermark };
        }
        yield { watermark: { cursor: encodeCursor(last), checkpoint } };
      }
    }),
  };
}

/** Transactions after a checkpoint, without gaps, until the signal aborts. */
async function* newTransactions(
  chain: Chain,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StoredTransaction> {
  let next = after + 1;
  let wake = () => {};
  const stop = chain.onCheckpoint(() => wake());
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  try {
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      while (next <= chain.tip.seq && !signal.aborted) yield chain.store.transactionAt(next++)!;
      if (!signal.aborted) await woken;
    }
  } finally {
    stop();
    signal.removeEventListener('abort', onAbort);
  }
}
