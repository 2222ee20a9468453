import type { Db } from './db.ts';

/** Rejects when the database does not answer. */
export async function pingDatabase(db: Db): Promise<void> {
  await db.query('SELECT 1');
}
