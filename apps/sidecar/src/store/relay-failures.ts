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

/** A relay that has not seen the registration yet answers so, too: the chain's nodes are not all at one point. */
const relayPausesMs = [1_000, 3_000, 8_000];

/** The wallet cannot pay for an upload; another one may. */
export class WalletEmptyError extends Error {
  override name = 'WalletEmptyError';
  constructor(coin: 'SUI' | 'WAL') {
    super(`has too little ${coin}`);
  }
}

/** The chain refused the registration, and the wallet has none of an earlier attempt: nothing was paid. */
export class UnpaidError extends Error {
  override name = 'UnpaidError';
}

/** Repeats a call to the relay while it may help. Throws the last error. */
export async function retryRelay<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const pauseMs = relayPausesMs[attempt];
      if (pauseMs === undefined || isRefusedForGood(error)) throw error;
      await wait(pauseMs);
    }
  }
}

/** What no repetition mends: the blob itself is refused. */
function isRefusedForGood(error: unknown): boolean {
  if (error instanceof LegallyUnavailableError || error instanceof UnprocessableEntityError) return true;
  return error instanceof StorageNodeAPIError && error.status === 413;
}

/** The checkpoint of a failure, by the type of the error. */
export function uploadFailure(error: unknown, wallet: string): UploadCheckpoint {
  const failed = (kind: 'transient' | 'permanent', reason: string) => ({
    stage: 'failed' as const,
    kind,
    reason,
  });
  const refused = `the chain refused a transaction of the wallet ${wallet}`;
  if (isRefusedForGood(error)) return failed('permanent', 'the upload relay refuses the blob');
  if (error instanceof WalletEmptyError)
    return { ...failed('transient', `the wallet ${wallet} ${error.message}`), wallet_empty: true };
  if (error instanceof UnpaidError) return { ...failed('transient', refused), unpaid: true };
  if (error instanceof ConnectionError) return failed('transient', 'the upload relay cannot be reached');
  if (error instanceof BadRequestError)
    return failed('transient', 'the upload relay does not take the upload');
  if (error instanceof StorageNodeAPIError && error.status === 507)
    return { ...failed('transient', 'the upload relay has no room'), store_full: true };
  if (error instanceof StorageNodeAPIError)
    return failed('transient', `the upload relay answered ${error.status ?? 'nothing'}`);
  if (error instanceof ChainUnavailableError) return failed('transient', 'the chain cannot be reached');
  if (error instanceof ChainRejectedError) return failed('transient', refused);
  return failed('transient', `the upload failed (${(error as Error).name})`);
}
