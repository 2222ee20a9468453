import { dataDir } from '@memrelay/sdk/data-dir-node';
import { type LocalDashboard, newPairingCode, readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';

/** How long a pairing link is valid: what a terminal shows may stay on the screen, and in its history, for days. */
const validMs = 10 * 60_000;

export interface PairingLink {
  link: string;
  expiresAt: Date;
}

/** A link that opens the dashboard in one browser tab as the owner of the local wallet; valid once, for ten minutes. */
export function pairingLink({ url, token }: LocalDashboard): PairingLink {
  const expiresAt = new Date(Date.now() + validMs);
  return { link: `${url}/#pairing=${newPairingCode(token, expiresAt)}`, expiresAt };
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
  const { link, expiresAt } = pairingLink(dashboard);
  output.result({ pairing_link: link, expires_at: expiresAt.toISOString() });
  output.line(`${link}\n\nIt works once, within ten minutes, in a browser on this computer.`);
}
