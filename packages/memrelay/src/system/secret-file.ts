import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file that only its owner reads: whole or not at all, durable before this returns. */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The file's text, or `undefined` when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** 32 random bytes as hex, made on first use and kept. */
export async function keptKey(path: string): Promise<string> {
  const kept = (await readIfThere(path))?.trim();
  if (kept !== undefined) {
    if (/^[0-9a-f]{64}$/.test(kept)) return kept;
    throw new Error(`${path} is damaged: it must hold 64 hex digits`);
  }
  const key = randomBytes(32).toString('hex');
  await writeSecretFile(path, `${key}\n`);
  return key;
}
