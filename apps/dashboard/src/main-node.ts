import { servePart } from '@memrelay/process/serve-part';
import { DashboardConfigError, readConfig } from './node-config.ts';
import { loadPages } from './node-pages.ts';
import { startDashboard } from './node-server.ts';

try {
  const config = readConfig(process.env);
  // Stdout carries only the ready line; logs go to stderr
  const logger = { level: process.env.LOG_LEVEL ?? 'info', stream: process.stderr };
  const dashboard = await startDashboard(config, await loadPages(), logger);
  servePart(dashboard, dashboard.app.log);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}

function explain(error: unknown): string {
  if (error instanceof DashboardConfigError) return error.message;
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `${message}: the port is taken. Set DASHBOARD_PORT to a free one, e.g. DASHBOARD_PORT=5174.`;
  return stack ?? message;
}
