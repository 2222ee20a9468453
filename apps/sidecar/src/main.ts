import { turnOffCoreDumps } from '@memrelay/process/core-dumps';
import { servePart } from '@memrelay/process/serve-part';
import { SidecarConfigError } from './base/config-error.ts';
import { loadConfig } from './config/config.ts';
import { createLogger } from './logging.ts';
import { startSidecar } from './sidecar.ts';

/**
 * Prints the message and exits. Every line has a prefix by which the relayer recognizes it (run-sidecar.ts there).
 */
function die(message: string): never {
  process.stderr.write(`${message.replace(/^/gm, 'memrelay sidecar: ')}\n`);
  process.exit(1);
}

function startFailure(error: unknown): string {
  if (error instanceof SidecarConfigError) return error.message;
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
    return 'SIDECAR_URL: the port is in use; set SIDECAR_URL to a free one';
  return (error as Error).stack ?? String(error);
}

try {
  const coreDumps = turnOffCoreDumps();
  const config = await loadConfig(process.env);
  const log = createLogger(config.log);
  if (coreDumps) log.warn(coreDumps);
  const sidecar = await startSidecar(config, log);
  servePart(sidecar, log);
} catch (error) {
  die(startFailure(error));
}
