import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hex32Pattern } from '@memrelay/protocol/bytes';
import { writeSecretFile } from '@memrelay/protocol/secret-file-node';

/** The file's text, or `undefined` if it does not exist. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** 32 random bytes as hex, created on first use and stored in the file. */
export async function keptKey(path: string): Promise<string> {
  const kept = (await readIfThere(path))?.trim();
  if (kept !== undefined) {
    if (hex32Pattern.test(kept)) return kept;
    throw new Error(`${path} is damaged: it must hold 64 hex digits`);
  }
  const key = randomBytes(32).toString('hex');
  await writeSecretFile(path, `${key}\n`);
  return key;
}
