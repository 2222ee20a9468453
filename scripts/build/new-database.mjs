import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './repository.mjs';

const builder = join(root, 'apps/relayer/build/new-database.mjs');
const migrations = join(root, 'apps/relayer/migrations');

/** The path that the relayer's source names; the file is only in a build. */
export const newDatabase = join(root, 'apps/relayer/src/base/db/new-database.tar.br');

/**
 * Writes a database of the embedded Postgres with empty tables, which a first start unpacks, to `path`. It takes two seconds, and
 * is cached until the version of a package that it is made with or a migration changes.
 * @param {string} path
 */
export async function writeNewDatabase(path) {
  const versions = await Promise.all(['pglite', 'pglite-pgvector'].map(versionOf));
  const folder = join(root, 'node_modules/.cache/new-database');
  const cached = join(folder, `${versions.join('-')}-${await sourcesHash()}.tar.br`);
  if (!existsSync(cached)) {
    await mkdir(folder, { recursive: true });
    const fresh = `${cached}.${process.pid}`;
    await promisify(execFile)(process.execPath, [builder, fresh]);
    await rename(fresh, cached);
  }
  await copyFile(cached, path);
}

/** Of the migrations and what applies them. */
async function sourcesHash() {
  const files = (await readdir(migrations)).sort().map((name) => join(migrations, name));
  const hash = createHash('sha256');
  for (const file of [builder, ...files]) hash.update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}

/** @param {string} name */
async function versionOf(name) {
  const manifest = await readFile(join(root, 'node_modules/@electric-sql', name, 'package.json'), 'utf8');
  return JSON.parse(manifest).version;
}
