import type { ReadyLine } from './supervised.ts';
import { supervisedVariable } from './supervised.ts';

export interface ServingPart {
  url: string;
  close(): Promise<void>;
}

/** A pino logger, or any logger with the same methods. */
export interface PartLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Time from the signal after which the process exits in any case, in ms. Unfinished work is resumed from the database.
 */
export const stopDeadlineMs = 20_000;

/**
 * Runs a part's process once it listens (the other end of `start-part.ts`): prints the ready line, and closes the part on
 * SIGTERM, and on SIGINT or, if it is supervised, when stdin closes. Exits with 0, or with 1 if closing failed or took longer
 * than `deadlineMs`.
 */
export function servePart(part: ServingPart, log: PartLog, deadlineMs = stopDeadlineMs): void {
  let closing = false;
  const stop = async (reason: string): Promise<void> => {
    if (closing) return;
    closing = true;
    log.info({ reason }, 'stopping');
    setTimeout(() => {
      log.error({ deadline_ms: deadlineMs }, 'stopping took too long; exiting with unfinished work');
      process.exit(1);
    }, deadlineMs);
    try {
      await part.close();
      process.exit(0);
    } catch (error) {
      log.error({ err: error }, 'closing failed');
      process.exit(1);
    }
  };
  process.on('SIGTERM', stop);
  if (process.env[supervisedVariable]) {
    leaveTerminalToSupervisor();
    const orphaned = () => stop('stdin closed');
    process.stdin.resume().once('end', orphaned).once('error', orphaned);
  } else {
    process.on('SIGINT', stop);
  }
  const ready: ReadyLine = { event: 'listening', url: part.url };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

/**
 * Ignores Ctrl-C and a closed terminal. The supervisor receives them too, and stops its processes in the right order: parts
 * that end at once are missed by those that still finish their work.
 */
export function leaveTerminalToSupervisor(): void {
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
}
