import { turnOffCoreDumps } from '@memrelay/protocol/core-dumps-node';
import { servePart } from '@memrelay/protocol/serve-part';
import { pino } from 'pino';
import { loadConfig } from './config/config.ts';
import { SidecarConfigError } from './config/config-error.ts';
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
  const coreDumps = turnOffCoreDumps();
  const config = await loadConfig(process.env);
  // Warnings and worse: the relayer's log tells the rest. Stderr, because stdout carries the ready line
  const log = pino({ level: 'warn', base: { target: 'memrelay_sidecar' } }, pino.destination(2));
  if (coreDumps) log.warn(coreDumps);
  const sidecar = await startSidecar(config, log);
  servePart(sidecar, log);
} catch (error) {
  die(startFailure(error));
}
