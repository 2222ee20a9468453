import { limits } from '@memrelay/protocol/limits';
import { ExitError, exitCodes } from './exit-codes.ts';

/** The number of `--context`. Throws on any other. */
export function parseContext(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (text.trim() !== '' && Number.isInteger(count) && count >= 0 && count <= limits.contextMemories)
    return count;
  throw new ExitError(
    exitCodes.usage,
    `--context must be a whole number from 0 to ${limits.contextMemories}.`,
  );
}

/** The number of `--limit`, within the range of a route. Throws on any other. */
export function parseLimit(
  text: string | undefined,
  { default: standard, max }: { default: number; max: number },
): number {
  const limit = text === undefined ? standard : Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new ExitError(exitCodes.usage, `--limit must be a whole number from 1 to ${max}.`);
}
