import { turnOffCoreDumps } from '@memrelay/protocol/core-dumps-node';
import { defaultPorts } from '@memrelay/protocol/ports';
import { servePart } from '@memrelay/protocol/serve-part';
import { PartStartError } from '@memrelay/protocol/start-part';
import { ConfigError } from './base/config/config-error.ts';
import { createLoggers } from './base/logging/loggers.ts';
import { loadConfig } from './config.ts';
import { startRelayer } from './relayer.ts';

/** Exit codes: 1 a wrong configuration or a start that failed, 3 a part was lost and the platform should restart. */
function die(message: string, code: 1 | 3): never {
  process.stderr.write(`memrelay relayer: ${message}\n`);
  process.exit(code);
}

function startFailure(error: unknown): string {
  if (error instanceof ConfigError || error instanceof PartStartError) return error.message;
  const failure = error as NodeJS.ErrnoException;
  if (failure.code === 'EADDRINUSE')
    return `port ${process.env.PORT ?? defaultPorts.relayer} is taken; set PORT to a free one`;
  return failure.stack ?? String(error);
}

try {
  const coreDumps = turnOffCoreDumps();
  const { config, warnings } = await loadConfig(process.env);
  const loggers = createLoggers(config.log);
  if (coreDumps) loggers.main.warn(coreDumps);
  // A filter that hides warnings may be the very mistake that one of them is about
  const level = loggers.main.isLevelEnabled('warn') ? 'warn' : 'error';
  for (const warning of warnings) loggers.main[level](warning);
  const relayer = await startRelayer({
    config,
    loggers,
    environment: process.env,
    onFatal: (reason) => die(reason, 3),
  });
  servePart(relayer, loggers.main);
} catch (error) {
  die(startFailure(error), 1);
}
