import { readFile, stat } from 'node:fs/promises';
import { ExitError, exitCodes } from './exit-codes.ts';
import { fileTrouble } from './explain-error.ts';

/** Slightly less than the longest string that the engine supports. */
const maxBytes = 500_000_000;

/**
 * Reads a text file. Throws an `ExitError` that names the file for a directory, a device, or content that is not UTF-8.
 */
export async function readText(path: string): Promise<string> {
  const refuse = (what: string): ExitError => new ExitError(exitCodes.usage, `${path}: ${what}.`);
  let bytes: Buffer;
  try {
    const info = await stat(path);
    if (!info.isFile() && !info.isDirectory())
      throw refuse('it is not a regular file; write its content to a file first');
    if (info.size > maxBytes) throw refuse('it is larger than 500 MB; split it');
    bytes = await readFile(path);
  } catch (error) {
    throw error instanceof ExitError ? error : (fileTrouble(error, path) ?? error);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {}
  throw refuse('it is not UTF-8 text');
}
