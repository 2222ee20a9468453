import { refuseFormerRequests } from './api/rows/restored-nonces.ts';
import { ConfigError } from './base/config/config-error.ts';
import { migrate } from './base/db/migrate.ts';
import { databaseLine } from './start/database-problem.ts';
import { openNamedDatabase } from './start/open-named-database.ts';

/**
 * `memrelay relayer after-restore`: prepares a database that was restored from a backup, or is empty, so that no request
 * that the former relayers accepted is accepted again. MEMRELAY_STOPPED_AT is when the last of them stopped; default: now.
 * Exits with 1 if it fails.
 */
try {
  const stoppedAt = stopTime(process.env.MEMRELAY_STOPPED_AT);
  const db = await openNamedDatabase(process.env);
  try {
    await migrate(db);
    const until = await db.transaction((tx) => refuseFormerRequests(tx, stoppedAt));
    const left = until - Math.floor(Date.now() / 1000);
    process.stdout.write(
      left > 0
        ? `Relayers can start. They refuse signed requests for another ${left} seconds.\n`
        : 'Relayers can start.\n',
    );
  } finally {
    await db.close();
  }
} catch (error) {
  const problem = error instanceof ConfigError ? error.message : databaseLine(error);
  process.stderr.write(`memrelay relayer after-restore: ${problem}\n`);
  process.exitCode = 1;
}

/** Unix seconds of a time that is not in the future, rounded up. */
function stopTime(text: string | undefined): number {
  const now = Date.now();
  const time = text ? Date.parse(text) : now;
  if (!(time <= now))
    throw new ConfigError(['--stopped-at must be a time that has passed, such as 2026-11-23T17:00:00Z']);
  return Math.ceil(time / 1000);
}
