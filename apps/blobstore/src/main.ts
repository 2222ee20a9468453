import { supervisedVariable } from '@memrelay/protocol/supervised';
import { pino } from 'pino';
import { createBlobStore } from './blob-store.ts';
import { ConfigError, readConfig } from './config.ts';

/** Stdout carries the ready line alone; logs go to stderr. */
const logger = pino({ name: 'blobstore', level: process.env.LOG_LEVEL ?? 'info' }, pino.destination(2));

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'EADDRINUSE'
    ? `${message}: the port is taken. Set BLOBSTORE_PORT (--port) to a free one.`
    : message;
}

async function start(): Promise<void> {
  const options = readConfig(process.argv.slice(2), process.env);
  const store = await createBlobStore({ ...options, logger });
  let stopping = false;
  function stop(reason: string): void {
    if (stopping) return;
    stopping = true;
    logger.info({ reason }, 'stopping');
    void store.close().then(() => process.exit(0));
  }
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (process.env[supervisedVariable] === '1') {
    process.stdin
      .resume()
      .once('end', () => stop('stdin closed'))
      .once('error', () => stop('stdin closed'));
  }
  process.stdout.write(`${JSON.stringify({ event: 'listening', url: store.url })}\n`);
}

try {
  await start();
} catch (error) {
  logger.error({ err: error }, 'could not start');
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
