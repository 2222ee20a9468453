import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError } from '@memrelay/protocol/errors';
import type { Db } from '../../base/db/db.ts';
import { extendWalletLeases, type WalletPool } from '../rows/upload-wallets.ts';

/** Runs `work` with a wallet leased for it alone. Throws `overloaded` when no wallet becomes free within ten seconds. */
export type WithWallet = <T>(work: (wallet: string) => Promise<T>) => Promise<T>;

const longestWaitMs = 10_000;
const pollMs = 100;
/** A third of a lease's duration */
const extendMs = 5_000;

export function createWithWallet(db: Db, pool: WalletPool): WithWallet {
  async function lease(token: string): Promise<string> {
    for (const deadline = Date.now() + longestWaitMs; Date.now() < deadline; await wait(pollMs)) {
      const wallet = await pool.lease(token, undefined);
      if (wallet !== undefined) return wallet;
    }
    throw new ApiError('overloaded');
  }

  return async (work) => {
    const token = randomUUID();
    const wallet = await lease(token);
    // A lease that is not extended ends by itself: a wallet is at worst in use twice, and the chain takes only one
    const extending = setInterval(() => extendWalletLeases(db, [token]).catch(() => undefined), extendMs);
    try {
      return await work(wallet);
    } finally {
      clearInterval(extending);
      await pool.release(token);
    }
  };
}
