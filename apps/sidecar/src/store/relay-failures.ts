import { setTimeout as wait } from 'node:timers/promises';
import { ChainRejectedError, ChainUnavailableError } from '@memrelay/chain/chain-errors';
import type { UploadCheckpoint } from '@memrelay/protocol/sidecar-api';
import {
  BadRequestError,
  ConnectionError,
  LegallyUnavailableError,
  StorageNodeAPIError,
  UnprocessableEntityError,
} from '@mysten/walrus';
import { failedUpload } from './upload.ts';

/**
 * Pauses between retries. The relay may not have seen the registration yet, because the nodes of the chain are not
 * in sync.
 */
const relayPausesMs = [1_000, 3_000, 8_000];

/** The wallet cannot pay for an upload; another one may. */
export class WalletEmptyError extends Error {
  override name = 'WalletEmptyError';
  constructor(coin: 'SUI' | 'WAL') {
    super(`has too little ${coin}`);
  }
}

/** The chain refused the registration and the wallet has none from an earlier attempt, so nothing was paid. */
export class UnpaidError extends Error {
  override name = 'UnpaidError';
}

/** Retries a call to the relay as long as that may help. Throws the last error. */
export async function retryRelay<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const pauseMs = relayPausesMs[attempt];
      if (pauseMs === undefined || isRefusedPermanently(error)) throw error;
      await wait(pauseMs);
    }
  }
}

/** Whether the blob itself is rejected, so that a retry cannot help. */
function isRefusedPermanently(error: unknown): boolean {
  if (error instanceof LegallyUnavailableError || error instanceof UnprocessableEntityError) return true;
  return error instanceof StorageNodeAPIError && error.status === 413;
}

/** Maps an error to the last checkpoint of the upload. */
export function uploadFailure(error: unknown, wallet: string): UploadCheckpoint {
  const refused = `the chain refused a transaction of the wallet ${wallet}`;
  if (isRefusedPermanently(error)) return failedUpload('permanent', 'the upload relay refuses the blob');
  if (error instanceof WalletEmptyError)
    return { ...failedUpload('transient', `the wallet ${wallet} ${error.message}`), wallet_empty: true };
  if (error instanceof UnpaidError) return { ...failedUpload('transient', refused), unpaid: true };
  if (error instanceof ConnectionError)
    return failedUpload('transient', 'the upload relay cannot be reached');
  if (error instanceof BadRequestError)
    return failedUpload('transient', 'the upload relay rejected the upload');
  if (error instanceof StorageNodeAPIError && error.status === 507)
    return { ...failedUpload('transient', 'the upload relay has no storage space left'), store_full: true };
  if (error instanceof StorageNodeAPIError)
    return failedUpload('transient', `the upload relay answered ${error.status ?? 'nothing'}`);
  if (error instanceof ChainUnavailableError) return failedUpload('transient', 'the chain cannot be reached');
  if (error instanceof ChainRejectedError) return failedUpload('transient', refused);
  return failedUpload('transient', `the upload failed (${(error as Error).name})`);
}
