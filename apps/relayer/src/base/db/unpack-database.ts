import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { parseTar } from 'nanotar';

/** A database with empty tables (build/new-database.mjs), which only a build has. */
const newDatabase = new URL('./new-database.tar.br', import.meta.url);

/**
 * Writes an embedded database with empty tables to `directory`: a fifth of a second, where `initdb` takes two and 400 MB. Returns
 * false in a clone that runs its sources, which have no prepared database.
 */
export async function unpackDatabase(directory: string, file = newDatabase): Promise<boolean> {
  if (!existsSync(file)) return false;
  await mkdir(directory, { mode: 0o700 });
  const entries = parseTar(brotliDecompressSync(await readFile(file)));
  for (const { name, type, data } of entries) {
    const path = join(directory, name);
    await mkdir(type === 'directory' ? path : dirname(path), { recursive: true, mode: 0o700 });
    if (type === 'file') await writeFile(path, data ?? '', { mode: 0o600 });
  }
  return true;
}
