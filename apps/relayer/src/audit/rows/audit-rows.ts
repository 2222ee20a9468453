import type { Db, Queryable } from '../../base/db/db.ts';

/** The end of an account's chain. */
export interface StoredHead {
  seq: number;
  hash: Buffer;
}

export interface StoredEntry extends StoredHead {
  /** Canonical JSON */
  content: string;
  writerKey: Buffer;
  signature: Buffer;
  /** Names a chain event, which is recorded once */
  source?: string | undefined;
}

/**
 * Locks the chain of an account until the transaction ends, and returns its end. `start` is the hash of an empty chain.
 * Writers of one account wait for each other here, so lock it last.
 */
export async function lockHead(tx: Queryable, accountId: Buffer, start: Buffer): Promise<StoredHead> {
  const { rows } = await tx.query<StoredHead>(
    `INSERT INTO audit_head AS head (account_id, seq, hash) VALUES ($1, 0, $2)
     ON CONFLICT (account_id) DO UPDATE SET seq = head.seq RETURNING seq, hash`,
    [accountId, start],
  );
  return rows[0]!;
}

/** Returns which of these chain events are recorded. */
export async function recordedSources(
  tx: Queryable,
  accountId: Buffer,
  sources: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ source: string }>(
    'SELECT source FROM audit_entry WHERE account_id = $1 AND source = ANY($2::text[])',
    [accountId, [...sources]],
  );
  return new Set(rows.map(({ source }) => source));
}

/** Appends entries to the locked chain; the last one is its new end. */
export async function insertEntries(
  tx: Queryable,
  accountId: Buffer,
  entries: readonly StoredEntry[],
): Promise<void> {
  let next = 3;
  const placeholders = entries.map(
    () =>
      `($1::bytea, $${++next}::bigint, $${++next}::text, $${++next}::bytea, $${++next}::bytea, $${++next}::bytea, $${++next}::text)`,
  );
  const head = entries.at(-1)!;
  await tx.query(
    `WITH moved AS (UPDATE audit_head SET seq = $2, hash = $3 WHERE account_id = $1)
     INSERT INTO audit_entry (account_id, seq, content, hash, writer_key, signature, source)
     VALUES ${placeholders.join(', ')}`,
    [
      accountId,
      head.seq,
      head.hash,
      ...entries.flatMap(({ seq, content, hash, writerKey, signature, source }) => [
        seq,
        content,
        hash,
        writerKey,
        signature,
        source ?? null,
      ]),
    ],
  );
}

/** The end of the chain; undefined while nothing was recorded. */
export async function readHead(db: Db, accountId: Buffer): Promise<StoredHead | undefined> {
  const { rows } = await db.query<StoredHead>(
    'SELECT seq, hash FROM audit_head WHERE account_id = $1 AND seq > 0',
    [accountId],
  );
  return rows[0];
}

/** Entries with a number above `after` and at most `upTo`, at most `limit`, oldest first. */
export async function readEntries(
  db: Db,
  accountId: Buffer,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<StoredEntry[]> {
  const { rows } = await db.query<StoredHead & { content: string; writer_key: Buffer; signature: Buffer }>(
    `SELECT seq, content, hash, writer_key, signature FROM audit_entry
     WHERE account_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4`,
    [accountId, after, upTo, limit],
  );
  return rows.map(({ writer_key, ...row }) => ({ ...row, writerKey: writer_key }));
}
