import { readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type Check, failed, ok, skipped } from './check.ts';

/** The sign-in page of the local system, if one is running. */
export function dashboard(directory: string): Check {
  return {
    name: 'Dashboard',
    async run() {
      const local = await readLocalDashboard(directory);
      if (!local) return skipped('no local system runs on this data directory');
      const answer = await fetch(local.url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
      if (answer?.ok) return ok(`${local.url}; \`npx memrelay pair\` prints a link that opens it as you`);
      return failed(
        `${local.url} ${answer ? `answers ${answer.status}` : 'does not answer'}`,
        'check whether `npx memrelay up` is still running; its last lines show why the dashboard ended',
        exitCodes.unavailable,
      );
    },
  };
}
