import { type ReadyLine, supervisedVariable } from '@memrelay/protocol/supervised';
import { pino } from 'pino';
import { loadConfig, SidecarConfigError } from './config/config.ts';
import { startSidecar } from './sidecar.ts';

function die(message: string): never {
  process.stderr.write(`memrelay sidecar: ${message}\n`);
  process.exit(1);
}

function startFailure(error: unknown): string {
  if (error instanceof SidecarConfigError) return error.message;
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
    return 'the port of SIDECAR_URL is taken; set SIDECAR_URL to a free one';
  return (error as Error).stack ?? String(error);
}

try {
  const config = await loadConfig(process.env);
  // Warnings and worse: the relayer's log tells the rest. Stderr, because stdout carries the ready line
  const log = pino({ level: 'warn', base: { target: 'memrelay_sidecar' } }, pino.destination(2));
  const sidecar = await startSidecar(config, log);
  const close = async (): Promise<void> => {
    await sidecar.close().catch(() => undefined);
    process.exit(0);
  };
  process.once('SIGTERM', close);
  process.once('SIGINT', close);
  if (process.env[supervisedVariable]) {
    process.stdin.resume();
    process.stdin.once('end', close);
    process.stdin.once('error', close);
  }
  const ready: ReadyLine = { event: 'listening', url: sidecar.url };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
} catch (error) {
  die(startFailure(error));
}
