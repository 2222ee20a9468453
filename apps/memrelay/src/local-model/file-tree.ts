import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PinnedFile } from '@memrelay/protocol/local-model';

/** Paths of all files in a folder and the folders below it. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Size and SHA-256 of a file. */
export async function measureFile(path: string): Promise<PinnedFile> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part as Buffer);
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
}
