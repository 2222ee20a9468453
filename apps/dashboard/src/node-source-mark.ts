import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/**
 * What tells that a source has changed: a hash of what it holds. Not its time, which a checkout or an installation
 * sets as it likes. Undefined when there is no such file.
 */
export async function sourceMark(path: string): Promise<string | undefined> {
  const text = await readFile(path).catch(() => undefined);
  return text && createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
