import type { WalletFunds } from '@memrelay/protocol/sidecar-api';
import type { Logger } from 'pino';
import { startPeriodicTask, type TaskLoop } from '../../base/concurrency/task-loop.ts';
import type { Db, Queryable } from '../../base/db/db.ts';
import type { SidecarClient } from '../../sidecar/sidecar-client.ts';
import { type WalletAlertKind, writeWalletAlert } from './alert-outbox.ts';
import { type WalletLevel, walletLevel } from './wallet-level.ts';

export interface WalletWatchOptions {
  db: Db;
  sidecar: Pick<SidecarClient, 'wallets'>;
  storeEpochs: number;
  /** A wallet that pays for fewer uploads than this is told of */
  alertUploads: number;
  /** Posts what is written to the outbox; undefined when only the log is to tell */
  alerts: Pick<TaskLoop, 'wake'> | undefined;
  log: Logger;
}

const rounds = {
  name: 'look at wallets',
  everyMs: 5 * 60_000,
  againAfterFailureMs: 30_000,
  pollMs: 5_000,
  // The sidecar's answer is waited for 30 seconds
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
 * Looks at the server's own wallets at the start and every five minutes, and tells when one runs low, is empty, or was
 * filled: each once, whichever of several relayers looks.
 */
export async function startWalletWatch(options: WalletWatchOptions): Promise<TaskLoop> {
  const { db, sidecar, log } = options;

  async function look(): Promise<void> {
    const wallets = await sidecar.wallets(options.storeEpochs);
    const changes = await db.transaction(async (tx) => {
      const found: Change[] = [];
      for (const wallet of wallets) {
        const change = await note(tx, wallet);
        if (change.level !== change.before) found.push(change);
      }
      return found;
    });
    for (const change of changes) tell(log, change);
    if (changes.length > 0) options.alerts?.wake();
  }

  /** Writes down how the wallet stands, and an alert when that is news. */
  async function note(tx: Queryable, wallet: WalletFunds): Promise<Change> {
    const { address, purpose, pays_for } = wallet;
    await tx.query('INSERT INTO wallet_funds (address, purpose) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      address,
      purpose,
    ]);
    const { rows } = await tx.query<{ level: WalletLevel }>(
      'SELECT level FROM wallet_funds WHERE address = $1 AND purpose = $2 FOR UPDATE',
      [address, purpose],
    );
    const before = rows[0]!.level;
    const level = walletLevel(before, pays_for, options.alertUploads);
    await tx.query(
      `UPDATE wallet_funds SET level = $3, pays_for = $4, checked_at = now() WHERE address = $1 AND purpose = $2`,
      [address, purpose, level, pays_for],
    );
    if (level !== before && options.alerts) {
      const { address: _, ...detail } = wallet;
      // From empty to low it has coins again, though not many
      await writeWalletAlert(tx, before === 'empty' ? 'wallet_filled' : kinds[level], address, detail);
    }
    return { wallet, before, level };
  }

  return startPeriodicTask(db, rounds, look, (error) =>
    log.warn({ err: error }, 'the wallets could not be looked at; it is tried again'),
  );
}

/** Once it is written down for good. */
function tell(log: Logger, { wallet, before, level }: Change): void {
  const { address, ...facts } = wallet;
  if (level === 'empty') log.error({ wallet: address, ...facts }, 'a wallet is empty');
  else if (before === 'ok') log.warn({ wallet: address, ...facts }, 'a wallet runs low');
  else log.info({ wallet: address, ...facts }, 'a wallet was filled');
}

/** How many of the wallets could pay for an upload when they were last looked at; undefined before the first look. */
export async function payingWallets(
  db: Db,
  addresses: readonly string[],
): Promise<{ paying: number; of: number } | undefined> {
  const { rows } = await db.query<{ paying: number; of: number }>(
    `SELECT count(*) FILTER (WHERE pays_for > 0)::int AS paying, count(*)::int AS of FROM wallet_funds
     WHERE purpose = 'uploads' AND address = ANY($1)`,
    [[...addresses]],
  );
  return rows[0] && rows[0].of > 0 ? rows[0] : undefined;
}
