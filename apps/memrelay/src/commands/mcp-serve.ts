import { pathToFileURL } from 'node:url';
import { stdioEntry } from '../hosts/stdio-entry.ts';

/** `memrelay mcp serve`: becomes the stdio package, so that a machine that has only `memrelay` installed has its tools too. */
export async function serve(flags: readonly string[]): Promise<void> {
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...flags);
  await import(pathToFileURL(stdioEntry).href);
}
