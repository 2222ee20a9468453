import { DirectoryLockedError } from '@memrelay/process/dir-lock';
import { ApiError } from '@memrelay/protocol/errors';
import type { Db } from '../base/db/db.ts';
import { pingDatabase } from '../base/db/ping.ts';
import { inTime } from '../base/redis/in-time.ts';

/** Timeout for the database and Redis; chain calls have a separate timeout */
export const answerMs = 6_000;

/** Why an open database cannot be used, as a line that begins with its variable. */
export async function databaseProblem(db: Db): Promise<string | undefined> {
  try {
    await inTime(pingDatabase(db), answerMs);
    return undefined;
  } catch (error) {
    return databaseLine(error);
  }
}

/** Postgres, appendix A */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'the server refuses this user or password',
  '28000': 'the server refuses this user or password',
  '3D000': 'there is no database of this name on the server',
  '53300': 'the server has no free connections',
};

/** Why a database cannot be opened or used, as a line that begins with its variable. */
export function databaseLine(error: unknown): string {
  return `DATABASE_URL: ${databaseReason(error)}`;
}

/** Uses our own text, because the server's message may repeat parts of the URL. */
function databaseReason(error: unknown): string {
  if (error instanceof DirectoryLockedError) return error.message;
  const cause = error instanceof ApiError ? error.cause : error;
  const code = codeOf(cause);
  return refusals[code] ?? `the database cannot be reached (${code})`;
}

/** The error code of a system, driver or server; otherwise the error's name. */
export function codeOf(error: unknown): string {
  const { code, name } = error as { code?: string; name?: string };
  return code ?? name ?? 'no answer';
}
