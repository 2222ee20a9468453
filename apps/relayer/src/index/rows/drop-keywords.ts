import type { Db } from '../../base/db/db.ts';

/** Memories per statement, so that other statements do not wait long for their rows. */
const batch = 2_000;

/** Deletes all blind index entries, after the index was switched off. Returns how many memories had one. */
export async function dropKeywords(db: Db): Promise<number> {
  for (let dropped = 0; ; ) {
    const { rowCount } = await db.query(
      `UPDATE memory SET tokens = NULL, tokens_twice = NULL, tokens_often = NULL, length_bucket = NULL,
         distinctions = NULL, token_version = NULL
       FROM (SELECT account_id, id FROM memory WHERE tokens IS NOT NULL LIMIT ${batch} FOR UPDATE SKIP LOCKED) AS indexed
       WHERE memory.account_id = indexed.account_id AND memory.id = indexed.id`,
    );
    dropped += rowCount;
    if (rowCount === 0) return dropped;
  }
}
