import type { WalletFunds } from '@memrelay/protocol/sidecar-api';
import type { Logger } from 'pino';
import { startPeriodicTask, type TaskLoop } from '../../base/concurrency/task-loop.ts';
import type { Db, Queryable } from '../../base/db/db.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { type WalletAlertKind, writeWalletAlert } from '../rows/alert-outbox.ts';
import { lockWalletLevel, saveWalletLevel, type WalletLevel } from '../rows/wallet-rows.ts';
import { walletLevel } from './wallet-level.ts';

export interface WalletWatchOptions {
  db: Db;
  sidecar: Pick<SidecarClient, 'wallets'>;
  storeEpochs: number;
  /** A wallet that can pay for fewer uploads than this is reported */
  alertUploads: number;
  /** Posts the alerts in the outbox; undefined when changes are only logged */
  alerts: Pick<TaskLoop, 'wake'> | undefined;
  log: Logger;
}

const rounds = {
  name: 'look at wallets',
  everyMs: 5 * 60_000,
  againAfterFailureMs: 30_000,
  pollMs: 5_000,
};

const kinds: Readonly<Record<WalletLevel, WalletAlertKind>> = {
  ok: 'wallet_filled',
  low: 'wallet_low',
  empty: 'wallet_empty',
};

interface Change {
  wallet: WalletFunds;
  before: WalletLevel;
  level: WalletLevel;
}

/**
 * Checks the server's own wallets at the start and every five minutes, and reports when one runs low, is empty, or was
 * filled. Each change is reported once, even with several relayers.
 */
export async function startWalletWatch(options: WalletWatchOptions): Promise<TaskLoop> {
  const { db, sidecar, log } = options;

  async function checkWallets(): Promise<void> {
    const wallets = await sidecar.wallets(options.storeEpochs);
    const changes = await db.transaction(async (tx) => {
      const found: Change[] = [];
      for (const wallet of wallets) {
        const change = await saveLevel(tx, wallet);
        if (change.level !== change.before) found.push(change);
      }
      return found;
    });
    for (const change of changes) logChange(log, change);
    if (changes.length > 0) options.alerts?.wake();
  }

  /** Saves the wallet's level, and an alert when it changed. */
  async function saveLevel(tx: Queryable, wallet: WalletFunds): Promise<Change> {
    const before = await lockWalletLevel(tx, wallet);
    const level = walletLevel(before, wallet.pays_for, options.alertUploads);
    await saveWalletLevel(tx, wallet, level);
    if (level !== before && options.alerts) {
      const { address, ...detail } = wallet;
      // From empty to low means that it has coins again, though few
      await writeWalletAlert(tx, before === 'empty' ? 'wallet_filled' : kinds[level], address, detail);
    }
    return { wallet, before, level };
  }

  return startPeriodicTask(db, rounds, checkWallets, (error) =>
    log.warn({ err: error }, 'the wallets could not be checked; the check will be retried'),
  );
}

/** Logs a change after its transaction was committed. */
function logChange(log: Logger, { wallet, before, level }: Change): void {
  const { address, ...facts } = wallet;
  if (level === 'empty') log.error({ wallet: address, ...facts }, 'a wallet is empty');
  else if (before === 'ok') log.warn({ wallet: address, ...facts }, 'a wallet runs low');
  else log.info({ wallet: address, ...facts }, 'a wallet was filled');
}
