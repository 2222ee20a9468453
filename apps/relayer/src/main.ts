import { turnOffCoreDumps } from '@memrelay/process/core-dumps';
import { servePart } from '@memrelay/process/serve-part';
import { PartStartError } from '@memrelay/process/start-part';
import { defaultPorts } from '@memrelay/protocol/ports';
import { ConfigError } from './base/config/config-error.ts';
import { createLoggers } from './base/logging/loggers.ts';
import { loadConfig } from './config/config.ts';
import { startRelayer } from './relayer.ts';

/** Exit codes: 1 wrong configuration or failed start; 3 a part was lost, so the platform should restart the relayer. */
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
  // If the log level hides warnings, log them as errors: one of them may be about the log level
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
