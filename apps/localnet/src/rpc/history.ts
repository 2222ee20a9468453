import { GrpcTypes } from '@mysten/sui/grpc';
import type { Chain } from '../chain/chain.ts';
import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import type { PositionRange, StoredEvent, StoredTransaction } from '../execution/store.ts';
import { checkpointToProto } from '../proto/checkpoint-to-proto.ts';
import { eventToProto } from '../proto/executed-to-proto.ts';
import { ReadMask } from '../proto/read-mask.ts';
import { pageSize } from './addresses.ts';
import { matchesEvent, matchesTransaction, typeModuleOf } from './filters.ts';
import { type FieldMask, type MethodHandler, stream } from './handlers.ts';

/** Rows per query, and maximum number of rows examined in one call. */
const batchRows = 500;
const scanLimit = 20_000;

/** Encodes a position in the history as a cursor: the number of the event or transaction in the chain, 8 bytes. */
export function encodeCursor(place: number): Uint8Array {
  const cursor = Buffer.alloc(8);
  cursor.writeBigUInt64BE(BigInt(place));
  return cursor;
}

function decodeCursor(cursor: Uint8Array | undefined): number | undefined {
  if (cursor === undefined || cursor.length === 0) return undefined;
  if (cursor.length !== 8)
    throw new RequestRefused(grpcStatus.invalidArgument, 'cursor does not belong to this chain');
  const place = Buffer.from(cursor).readBigUInt64BE();
  if (place > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RequestRefused(grpcStatus.invalidArgument, 'cursor does not belong to this chain');
  return Number(place);
}

interface HistoryRequest {
  readMask?: FieldMask;
  startCheckpoint?: bigint;
  endCheckpoint?: bigint;
  options?: GrpcTypes.QueryOptions;
}

interface Source<Row> {
  /** Position of a row, counted from 1 */
  place(row: Row): number;
  read(range: PositionRange): Row[];
  /** The last position at or before the end of a checkpoint */
  placeOf(checkpoint: number): number;
  checkpointOf(row: Row): number;
  matches(row: Row): boolean;
  frame(row: Row): object;
}

/** `ListEvents`: lets watchers read events page by page from the last cursor that they have stored. */
export function listEvents(chain: Chain): MethodHandler {
  return stream((request: GrpcTypes.ListEventsRequest) => {
    const typeModule = typeModuleOf(request.filter);
    return scan<StoredEvent>(chain, request, {
      place: ({ seq }) => seq,
      read: (range) => chain.store.events(range, typeModule),
      placeOf: (checkpoint) => chain.store.lastEventSeq(checkpoint),
      checkpointOf: ({ checkpoint }) => checkpoint,
      matches: (event) => matchesEvent(request.filter, event),
      frame: (event) => ({ event: placedEvent(event, request.readMask) }),
    });
  });
}

/** `ListTransactions`. */
export function listTransactions(chain: Chain): MethodHandler {
  return stream((request: GrpcTypes.ListTransactionsRequest) =>
    scan<StoredTransaction>(chain, request, {
      ...transactionSource(chain),
      matches: (transaction) => matchesTransaction(request.filter, transaction),
      frame: (row) => ({
        transaction: new ReadMask(request.readMask, ['digest']).apply(
          GrpcTypes.ExecutedTransaction.fromBinary(row.executed),
        ),
      }),
    }),
  );
}

/** `ListCheckpoints`. */
export function listCheckpoints(chain: Chain): MethodHandler {
  return stream((request: GrpcTypes.ListCheckpointsRequest) =>
    scan<StoredTransaction>(chain, request, {
      ...transactionSource(chain),
      matches: (transaction) => matchesTransaction(request.filter, transaction),
      frame: (row) => ({ checkpoint: checkpointToProto(chain.store, row, request.readMask) }),
    }),
  );
}

function transactionSource(chain: Chain) {
  return {
    // Positions count from 1, so that 0 is before everything; checkpoints count from 0.
    place: ({ seq }: StoredTransaction) => seq + 1,
    read: (range: PositionRange) =>
      chain.store.transactions({ ...range, after: range.after - 1, before: range.before - 1 }),
    placeOf: (checkpoint: number) => checkpoint + 1,
    checkpointOf: ({ seq }: StoredTransaction) => seq,
  };
}

/** An event with its position in the history. */
export function placedEvent(event: StoredEvent, readMask: FieldMask): GrpcTypes.Event {
  const placed: GrpcTypes.Event = {
    ...eventToProto(event),
    checkpoint: BigInt(event.checkpoint),
    transactionDigest: event.transactionDigest,
    transactionIndex: 0n,
    eventIndex: event.eventIndex,
  };
  return new ReadMask(readMask, ['*']).apply(placed);
}

/** Iterates over the history in order and yields the matches, each with the cursor after it. */
async function* scan<Row>(chain: Chain, request: HistoryRequest, source: Source<Row>) {
  const { options } = request;
  const descending = options?.ordering === GrpcTypes.Ordering.DESCENDING;
  const limit = pageSize(options?.limit);
  const reasons = GrpcTypes.QueryEndReason;
  const tip = source.placeOf(chain.tip.seq);
  let after = Math.max(
    decodeCursor(options?.after) ?? 0,
    request.startCheckpoint
      ? source.placeOf(Math.min(Number(request.startCheckpoint) - 1, chain.tip.seq))
      : 0,
  );
  let before = Math.min(
    decodeCursor(options?.before) ?? tip + 1,
    request.endCheckpoint ? source.placeOf(Number(request.endCheckpoint) - 1) + 1 : tip + 1,
  );
  let found = 0;
  let scanned = 0;
  while (scanned < scanLimit) {
    const rows = source.read({ after, before, descending, limit: batchRows });
    for (const row of rows) {
      scanned += 1;
      const place = source.place(row);
      if (descending) before = place;
      else after = place;
      if (!source.matches(row)) continue;
      found += 1;
      const watermark = { cursor: encodeCursor(place), checkpoint: BigInt(source.checkpointOf(row)) };
      if (found === limit) {
        yield { ...source.frame(row), watermark, end: { reason: reasons.ITEM_LIMIT } };
        return;
      }
      yield { ...source.frame(row), watermark };
    }
    if (rows.length < batchRows) {
      yield {
        watermark: { cursor: encodeCursor(descending ? before : after) },
        end: { reason: reasons.LEDGER_TIP },
      };
      return;
    }
  }
  yield {
    watermark: { cursor: encodeCursor(descending ? before : after) },
    end: { reason: reasons.SCAN_LIMIT },
  };
}
