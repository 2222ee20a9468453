import type { Db, Queryable } from '../../base/db/db.ts';

/** A wallet's funds in an alert. Amounts in MIST and FROST, as decimal text. */
export interface WalletDetail {
  purpose: 'uploads' | 'sponsoring';
  pays_for: number;
  short_of: 'SUI' | 'WAL';
  sui_mist: string;
  wal_frost: string;
}

/** Contains no namespace and no text, because it is posted to a chat. */
export interface UploadDetail {
  /** Namespace tag, hex; null when a client stored bytes in its own format */
  tag: string | null;
  reason: string;
  /** How many were stored as one quilt and failed with it; absent for one alone */
  memories?: number;
}

export type WalletAlertKind = 'wallet_low' | 'wallet_empty' | 'wallet_filled';
export type AlertSample =
  | { kind: 'upload_failed'; subject: string; detail: UploadDetail }
  | { kind: WalletAlertKind; subject: string; detail: WalletDetail };

/** The content of one message: how many alerts of each kind, and the first of each in full. */
export interface AlertBatch {
  counts: ReadonlyMap<AlertSample['kind'], number>;
  /** At most `samplesPerKind` of each, oldest first */
  samples: readonly AlertSample[];
  /** Reasons of failed uploads, most frequent first */
  reasons: readonly { reason: string; count: number }[];
  since: Date;
}

const samplesPerKind = 10;
const maxReasons = 5;

export async function writeWalletAlert(
  tx: Queryable,
  kind: WalletAlertKind,
  address: string,
  detail: WalletDetail,
): Promise<void> {
  await tx.query('INSERT INTO alert (kind, subject, detail) VALUES ($1, $2, $3::jsonb)', [
    kind,
    address,
    JSON.stringify(detail),
  ]);
}

/** Assigns all waiting alerts to the message of this token; undefined when there are none. */
export async function takeAlerts(db: Db, token: string): Promise<AlertBatch | undefined> {
  // Marked first, so that later alerts are left for the next message
  const { rowCount } = await db.query('UPDATE alert SET message = $1', [token]);
  if (rowCount === 0) return undefined;
  const [counts, samples, reasons] = await Promise.all([
    db.query<{ kind: AlertSample['kind']; count: number; since: Date }>(
      'SELECT kind, count(*)::int AS count, min(created_at) AS since FROM alert WHERE message = $1 GROUP BY kind',
      [token],
    ),
    db.query<AlertSample>(
      `SELECT kind, subject, detail FROM (
         SELECT *, row_number() OVER (PARTITION BY kind ORDER BY id) AS place FROM alert WHERE message = $1) AS placed
       WHERE place <= ${samplesPerKind} ORDER BY id`,
      [token],
    ),
    db.query<{ reason: string; count: number }>(
      `SELECT detail->>'reason' AS reason, count(*)::int AS count FROM alert
       WHERE message = $1 AND kind = 'upload_failed' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${maxReasons}`,
      [token],
    ),
  ]);
  return {
    counts: new Map(counts.rows.map(({ kind, count }) => [kind, count])),
    samples: samples.rows,
    reasons: reasons.rows,
    since: new Date(Math.min(...counts.rows.map(({ since }) => since.getTime()))),
  };
}

/** Removes the alerts of a message, all or those that are older than this; returns how many. */
export async function dropAlerts(db: Db, token: string, olderThanMs = 0): Promise<number> {
  const { rowCount } = await db.query(
    'DELETE FROM alert WHERE message = $1 AND created_at <= now() - make_interval(secs => $2)',
    [token, olderThanMs / 1000],
  );
  return rowCount;
}

export async function alertsWait(db: Db): Promise<boolean> {
  const { rows } = await db.query('SELECT 1 FROM alert LIMIT 1');
  return rows.length > 0;
}
