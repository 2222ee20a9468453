import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/**
 * A mark that changes with the content of a source: a hash. File times are not used, because a checkout or an installation
 * may set any time. Undefined if the file does not exist.
 * @param {string} path
 * @returns {Promise<string | undefined>}
 */
export async function sourceMark(path) {
  const text = await readFile(path).catch(() => undefined);
  return text && createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
