import { servePart } from '@memrelay/process/serve-part';
import { pino } from 'pino';
import { createBlobStore } from './blob-store.ts';
import { readConfig } from './config/config.ts';
import { helpText } from './config/flags.ts';
import { ConfigError } from './config/settings.ts';

/** Stdout gets only the ready line; logs go to stderr. */
const logger = pino({ name: 'blobstore', level: process.env.LOG_LEVEL ?? 'info' }, pino.destination(2));

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'EADDRINUSE'
    ? `${message}: the port is taken. Set BLOBSTORE_PORT (--port) to a free one.`
    : message;
}

async function start(): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(helpText());
    return;
  }
  const options = readConfig(process.argv.slice(2), process.env);
  const store = await createBlobStore({ ...options, logger });
  servePart(store, logger);
}

process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  process.stderr.write(`blobstore: the output cannot be written (${code}).\n`);
  process.exit(1);
});

try {
  await start();
} catch (error) {
  if (!(error instanceof ConfigError)) logger.error({ err: error }, 'could not start');
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
