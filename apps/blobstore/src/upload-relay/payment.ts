import { createHash } from 'node:crypto';
import { normalizeStructTag } from '@mysten/sui/utils';
import type { PaidTransaction } from '../registry/chain/storage-node.ts';
import {
  blobLengthMismatch,
  insufficientTip,
  invalidAuthPackage,
  invalidNonceHash,
  missingAuthPackage,
  noTipSent,
  transactionOfTheFuture,
  transactionTooOld,
} from './relay-errors.ts';
import { type Tip, tipFor } from './tip.ts';

const suiType = normalizeStructTag('0x2::sui::SUI');
/** How far the chain's clock may be ahead, in milliseconds, as in the real relay's example. */
const maxAheadMs = 30_000;
/** Length of the SHA-256 of the blob, the SHA-256 of the nonce, and the blob's length as u64 */
const packageBytes = 72;

export interface Upload {
  /** Bytes */
  size: number;
  nonce: Uint8Array;
  nShards: number;
  /** Milliseconds since 1970 */
  nowMs: number;
}

/**
 * Checks that a transaction pays for an upload, in the order of the real relay: its age, the amount of the tip, and
 * that the holder of the nonce paid for this blob. Returns the required SHA-256 of the blob as base64url. Throws an
 * `ApiError` otherwise.
 */
export function checkPayment(tip: Tip, transaction: PaidTransaction, upload: Upload): string {
  const { timestampMs } = transaction;
  // A transaction without a time is not in a checkpoint yet, so it was executed a moment ago.
  const ageMs = timestampMs === null ? 0 : upload.nowMs - timestampMs;
  if (ageMs < -maxAheadMs) throw transactionOfTheFuture();
  if (ageMs > tip.freshnessMs) throw transactionTooOld();

  const change = transaction.balanceChanges.find(
    ({ address, coinType }) => address === tip.address && normalizeStructTag(coinType) === suiType,
  );
  if (change === undefined) throw noTipSent();
  const expected = tipFor(tip.kind, upload.size, upload.nShards);
  const received = BigInt(change.amount);
  if (received < expected) throw insufficientTip(received, expected);

  const [input] = transaction.transaction.inputs;
  if (input === undefined || !('Pure' in input)) throw missingAuthPackage();
  const authPackage = Buffer.from(input.Pure.bytes, 'base64');
  if (authPackage.length !== packageBytes) throw invalidAuthPackage();
  const nonceDigest = createHash('sha256').update(upload.nonce).digest();
  if (!nonceDigest.equals(authPackage.subarray(32, 64))) throw invalidNonceHash();
  if (authPackage.readBigUInt64LE(64) !== BigInt(upload.size)) throw blobLengthMismatch();
  return authPackage.subarray(0, 32).toString('base64url');
}
