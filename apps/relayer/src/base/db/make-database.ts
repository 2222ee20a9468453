import { workerData } from 'node:worker_threads';
import { unpackDatabase } from './unpack-database.ts';

/**
 * A thread that makes an embedded database in `workerData.directory` and ends: only the end of a thread frees the memory that
 * this takes, 90 MB to unpack one and 400 MB with `initdb`.
 */
const { directory } = workerData as { directory: string };
if (!(await unpackDatabase(directory))) {
  const { PGlite } = await import('@electric-sql/pglite');
  const db = await PGlite.create({ dataDir: directory });
  await db.close();
}
