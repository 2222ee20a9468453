import { GrpcTypes } from '@mysten/sui/grpc';
import type { ChainStore, StoredTransaction } from '../execution/store.ts';
import { ReadMask } from './read-mask.ts';
import { timestampToProto } from './transaction-to-proto.ts';

/** Converts a checkpoint, which always contains one transaction. */
export function checkpointToProto(
  store: ChainStore,
  stored: StoredTransaction,
  readMask: { paths: string[] } | undefined,
): GrpcTypes.Checkpoint {
  const mask = new ReadMask(readMask, ['sequence_number', 'digest']);
  const previousDigest = mask.wants('summary')
    ? store.transactionAt(stored.seq - 1)?.checkpointDigest
    : undefined;
  return mask.apply(
    GrpcTypes.Checkpoint.create({
      sequenceNumber: BigInt(stored.seq),
      digest: stored.checkpointDigest,
      summary: {
        digest: stored.checkpointDigest,
        epoch: BigInt(stored.epoch),
        sequenceNumber: BigInt(stored.seq),
        totalNetworkTransactions: BigInt(stored.seq + 1),
        timestamp: timestampToProto(stored.timestampMs),
        ...(previousDigest && { previousDigest }),
      },
      transactions: mask.wants('transactions')
        ? [GrpcTypes.ExecutedTransaction.fromBinary(stored.executed)]
        : [],
    }),
  );
}
