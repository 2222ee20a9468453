import { writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';

/**
 * `node new-database.mjs FILE`: writes an empty database for the embedded Postgres, as a tar file compressed with brotli. A first
 * start unpacks it: `initdb` would take two seconds and 400 MB. Plain JavaScript, because the build of the packages runs it
 * under any Node.
 */

const [file] = process.argv.slice(2);
if (!file) throw new Error('node new-database.mjs FILE');
const db = await PGlite.create({ extensions: { vector } });
await db.exec('CREATE EXTENSION vector; CHECKPOINT');
const tar = Buffer.from(await (await db.dumpDataDir('none')).arrayBuffer());
await db.close();
// The system catalogues are in it three times, 12 MB apart: the window must reach that far
const { BROTLI_PARAM_LGWIN: window, BROTLI_PARAM_QUALITY: quality } = constants;
await writeFile(file, brotliCompressSync(tar, { params: { [window]: 24, [quality]: 5 } }));
