import { grpcStatus, RequestRefused } from './failure.ts';
import type { TransactionData } from './transaction-data.ts';

export interface ChainMoment {
  epoch: number;
  timestampMs: number;
  /** Base58 digest of the genesis checkpoint */
  chainIdentifier: string;
}

/**
 * Rejects a transaction that has expired or is not valid yet. One without gas coins must be bound to this chain and
 * to at most two epochs, because without a coin's version nothing else prevents a replay.
 */
export function checkExpiration(data: TransactionData, now: ChainMoment): void {
  const { expiration } = data;
  const bounds = expiration?.ValidDuring ?? expiration?.Validity;
  if (!bounds) {
    if (data.gasData.payment.length === 0) {
      throw refused('a transaction without gas coins needs a ValidDuring expiration');
    }
    if (expiration?.$kind === 'Epoch' && now.epoch > Number(expiration.Epoch)) throw expired();
    return;
  }
  if (bounds.chain !== now.chainIdentifier) throw refused('the transaction is bound to another chain');
  const { minEpoch, maxEpoch, minTimestamp, maxTimestamp } = bounds;
  if (data.gasData.payment.length === 0) {
    const span = minEpoch === null || maxEpoch === null ? undefined : BigInt(maxEpoch) - BigInt(minEpoch);
    if (span === undefined || span < 0n || span > 1n) {
      throw refused('a transaction without gas coins must name one epoch, or two in a row');
    }
  }
  const epoch = BigInt(now.epoch);
  const timestamp = BigInt(now.timestampMs);
  if (minEpoch !== null && epoch < BigInt(minEpoch)) throw refused('the transaction is not valid yet');
  if (minTimestamp !== null && timestamp < BigInt(minTimestamp))
    throw refused('the transaction is not valid yet');
  if (maxEpoch !== null && epoch > BigInt(maxEpoch)) throw expired();
  if (maxTimestamp !== null && timestamp > BigInt(maxTimestamp)) throw expired();
}

function expired(): RequestRefused {
  return new RequestRefused(grpcStatus.failedPrecondition, 'Transaction Expired');
}

function refused(message: string): RequestRefused {
  return new RequestRefused(grpcStatus.invalidArgument, message);
}
