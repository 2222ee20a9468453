import { readFile } from 'node:fs/promises';
import type { Db } from '../../src/db/db.ts';

/** Makes the tables of accounts and nonces where the migrations have not done so. */
export async function createAccessTables(db: Db): Promise<void> {
  const { rows } = await db.query<{ there: boolean }>(
    `SELECT to_regclass('account_version') IS NOT NULL AS there`,
  );
  if (rows[0]!.there) return;
  for (const folder of ['accounts', 'nonces']) {
    const sql = await readFile(new URL(`../../src/${folder}/schema.sql`, import.meta.url), 'utf8');
    for (const statement of sql.split(/^--$/m)) await db.query(statement);
  }
}
