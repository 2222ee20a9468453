import { type PartSurroundings, type StartedPart, StartProblem } from '@memrelay/process/part';
import { pino } from 'pino';
import { createBlobStore } from './blob-store.ts';
import { readConfig } from './config/config.ts';
import { ConfigError } from './config/settings.ts';

/** Starts the blob store as its variables say, or the flags in `args`, which take precedence. Throws `StartProblem`. */
export async function startPart(
  { environment, logFd }: PartSurroundings,
  args: string[] = [],
): Promise<StartedPart> {
  const log = pino({ name: 'blobstore', level: environment.LOG_LEVEL ?? 'info' }, pino.destination(logFd));
  try {
    const { url, close } = await createBlobStore({ ...readConfig(args, environment), logger: log });
    return { url, close, log };
  } catch (error) {
    if (!(error instanceof ConfigError)) log.error({ err: error }, 'could not start');
    throw new StartProblem(explain(error));
  }
}

function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'EADDRINUSE'
    ? `${message}: the port is taken. Set BLOBSTORE_PORT (--port) to a free one.`
    : message;
}
