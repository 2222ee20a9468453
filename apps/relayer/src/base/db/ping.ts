import type { Db } from './db.ts';

/** Rejects if the database does not respond. */
export async function pingDatabase(db: Db): Promise<void> {
  await db.query('SELECT 1');
}
