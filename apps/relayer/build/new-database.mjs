import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';

/**
 * `node new-database.mjs FILE`: writes a database for the embedded Postgres with empty tables, as a tar file compressed with
 * brotli. A first start unpacks it: `initdb` would take two seconds and 400 MB, and the migrations 0.4 s. Plain JavaScript,
 * because the build of the packages runs it under any Node.
 */

const [file] = process.argv.slice(2);
if (!file) throw new Error('node new-database.mjs FILE');
const db = await PGlite.create({ extensions: { vector } });
await migrate();
await db.exec('CHECKPOINT');
const tar = Buffer.from(await (await db.dumpDataDir('none')).arrayBuffer());
await db.close();
// The system catalogues are in it three times, 12 MB apart: the window must reach that far
const { BROTLI_PARAM_LGWIN: window, BROTLI_PARAM_QUALITY: quality } = constants;
await writeFile(file, brotliCompressSync(tar, { params: { [window]: 24, [quality]: 5 } }));

/** As `src/base/db/migrate.ts` does it, which compares the names and hashes at every start and would apply what is missing. */
async function migrate() {
  const folder = new URL('../migrations/', import.meta.url);
  await db.exec(
    'CREATE TABLE schema_migration (name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
  );
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.sql')).sort()) {
    const sql = await readFile(new URL(name, folder), 'utf8');
    for (const statement of sql.split(/^--$/m)) await db.exec(statement);
    const sha256 = createHash('sha256').update(sql).digest('hex');
    await db.query('INSERT INTO schema_migration (name, sha256) VALUES ($1, $2)', [name, sha256]);
  }
}
