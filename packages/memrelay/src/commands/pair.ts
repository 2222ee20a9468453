import { dataDir } from '@memrelay/sdk/data-dir-node';
import { type LocalDashboard, newPairingCode, readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import { ExitError, exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';

/** How long a link of this command is good. */
const validMs = 10 * 60_000;

/** Opens the dashboard in one browser tab as the owner of the local wallet; without `expiresAt` until the system stops. */
export function pairingLink({ url, token }: LocalDashboard, expiresAt?: Date): string {
  return `${url}/#pairing=${newPairingCode(token, expiresAt)}`;
}

/** Prints a new pairing link for the dashboard of the system that is running here. */
export async function pair(output: Output, environment: NodeJS.ProcessEnv): Promise<void> {
  const directory = dataDir(environment);
  const dashboard = await readLocalDashboard(directory);
  if (!dashboard)
    throw new ExitError(
      exitCodes.unavailable,
      `No dashboard runs on ${directory}. Start the local system with \`npx memrelay up\`.`,
    );
  const expiresAt = new Date(Date.now() + validMs);
  const link = pairingLink(dashboard, expiresAt);
  output.result({ pairing_link: link, expires_at: expiresAt.toISOString() });
  output.line(`${link}\n\nIt works once, within ten minutes, in a browser on this computer.`);
}
