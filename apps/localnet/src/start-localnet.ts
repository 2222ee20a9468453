import { homedir } from 'node:os';
import { join } from 'node:path';
import { DirectoryLockedError } from '@memrelay/process/dir-lock';
import { type PartSurroundings, type StartedPart, StartProblem } from '@memrelay/process/part';
import { defaultPorts } from '@memrelay/protocol/ports';
import { pino } from 'pino';
import { createLocalnet, type LocalnetOptions } from './localnet.ts';

/** Starts the localnet as its variables say. Throws `StartProblem`. */
export async function startPart({ environment, logFd }: PartSurroundings): Promise<StartedPart> {
  const log = pino({ level: environment.LOG_LEVEL ?? 'info' }, pino.destination({ dest: logFd, sync: true }));
  const options = optionsOf(environment);
  try {
    const { url, close } = await createLocalnet({ ...options, logger: log });
    return { url, close, log };
  } catch (error) {
    throw new StartProblem(explain(error as NodeJS.ErrnoException, options.port));
  }
}

function optionsOf(environment: NodeJS.ProcessEnv): LocalnetOptions & { dataDir: string } {
  /** Undefined if it is not set */
  const numberVariable = (name: string, least: number, most: number): number | undefined => {
    const text = environment[name];
    if (text === undefined || text === '') return undefined;
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new StartProblem(`${name} must be a whole number from ${least} to ${most}, not "${text}"`);
  };
  const nShards = numberVariable('LOCALNET_SHARDS', 4, 1000);
  const epochDurationMs = numberVariable('LOCALNET_EPOCH_MS', 1000, Number.MAX_SAFE_INTEGER);
  const allowedOrigins = environment.LOCALNET_ALLOWED_ORIGINS?.split(',').filter((origin) => origin !== '');
  return {
    dataDir: environment.LOCALNET_DATA_DIR || join(homedir(), '.memrelay', 'localnet'),
    port: numberVariable('LOCALNET_PORT', 0, 65_535) ?? defaultPorts.localnet,
    ...(allowedOrigins?.length && { allowedOrigins }),
    ...(nShards !== undefined && { nShards }),
    ...(epochDurationMs !== undefined && { epochDurationMs }),
  };
}

function explain(error: NodeJS.ErrnoException, port: number): string {
  if (error.code === 'EADDRINUSE') return `port ${port} is taken: set LOCALNET_PORT to a free one`;
  if (error instanceof DirectoryLockedError) return `LOCALNET_DATA_DIR: ${error.message}`;
  return `the localnet could not start: ${error.message}`;
}
