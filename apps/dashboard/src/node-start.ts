import { type PartSurroundings, type StartedPart, StartProblem } from '@memrelay/process/part';
import { pino } from 'pino';
import { DashboardConfigError, readConfig } from './node-config.ts';
import { loadPages } from './node-pages.ts';
import { startDashboard } from './node-server.ts';

/** Starts the dashboard as its variables say. Throws `StartProblem`. */
export async function startPart({ environment, logFd }: PartSurroundings): Promise<StartedPart> {
  const log = pino({ level: environment.LOG_LEVEL ?? 'info' }, pino.destination(logFd));
  try {
    const { url, close } = await startDashboard(readConfig(environment), await loadPages(), log);
    return { url, close, log };
  } catch (error) {
    throw explained(error) ?? error;
  }
}

function explained(error: unknown): StartProblem | undefined {
  if (error instanceof DashboardConfigError) return new StartProblem(error.message);
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'EADDRINUSE'
    ? new StartProblem(
        `${message}: the port is taken. Set DASHBOARD_PORT to a free one, e.g. DASHBOARD_PORT=5174.`,
      )
    : undefined;
}
