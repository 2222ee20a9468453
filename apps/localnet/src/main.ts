import { homedir } from 'node:os';
import { join } from 'node:path';
import { DirectoryLockedError } from '@memrelay/process/dir-lock';
import { servePart } from '@memrelay/process/serve-part';
import { defaultPorts } from '@memrelay/protocol/ports';
import { pino } from 'pino';
import { createLocalnet } from './localnet.ts';

const logger = pino({ level: process.env.LOG_LEVEL ?? 'info' }, pino.destination({ dest: 2, sync: true }));

/** A whole number from the environment; undefined if it is not set. Ends the process if the value is invalid. */
function numberVariable(name: string, least: number, most: number): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  return fail(`${name} must be a whole number from ${least} to ${most}, not "${text}"`);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const port = numberVariable('LOCALNET_PORT', 0, 65_535) ?? defaultPorts.localnet;
const dataDir = process.env.LOCALNET_DATA_DIR || join(homedir(), '.memrelay', 'localnet');
const nShards = numberVariable('LOCALNET_SHARDS', 4, 1000);
const epochDurationMs = numberVariable('LOCALNET_EPOCH_MS', 1000, Number.MAX_SAFE_INTEGER);

const allowedOrigins = process.env.LOCALNET_ALLOWED_ORIGINS?.split(',').filter((origin) => origin !== '');

const localnet = await createLocalnet({
  dataDir,
  port,
  logger,
  ...(allowedOrigins?.length && { allowedOrigins }),
  ...(nShards !== undefined && { nShards }),
  ...(epochDurationMs !== undefined && { epochDurationMs }),
}).catch((error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE') return fail(`port ${port} is taken: set LOCALNET_PORT to a free one`);
  if (error instanceof DirectoryLockedError) return fail(`LOCALNET_DATA_DIR: ${error.message}`);
  return fail(`the localnet could not start: ${error.message}`);
});

servePart(localnet, logger);
