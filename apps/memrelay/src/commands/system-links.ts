import { type LocalDashboard, readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import { readHealth } from '../client/relayer-info.ts';
import type { RunningSystem } from '../system/start-system.ts';
import type { Output } from '../terminal/output.ts';
import { pairingLink } from './pair.ts';

type Urls = Partial<RunningSystem['urls']>;

/** The last output of a start: the addresses of the system, and what to try. */
export function announceReady(
  output: Output,
  system: RunningSystem,
  { directory, model, ms }: { directory: string; model: string | undefined; ms: number },
): void {
  const { urls } = system;
  const { link, expiresAt } = pairingLink(system.dashboard);
  if (output.json) {
    output.result({
      event: 'ready',
      urls,
      pairing_link: link,
      pairing_link_expires_at: expiresAt.toISOString(),
      credentials_path: system.credentialsPath,
      account_id: system.credentials.accountId,
      data_dir: directory,
      start_ms: ms,
      ...(model ? { local_model: model } : {}),
      ...(system.renewed ? { key_renewed: true } : {}),
      ...(system.active ? {} : { account_active: false }),
    });
    return;
  }
  const { paint } = output;
  const told = system.created && system.active ? ' A memory was stored, encrypted, and recalled.' : '';
  for (const line of remarks(system)) output.line(paint('yellow', line));
  output.line(`${paint('bold', 'memrelay is ready')} (${(ms / 1000).toFixed(1)} s).${told}

${addressLines(output, urls).join('\n')}
  Credentials  ${system.credentialsPath}
  Data         ${directory}${model ? `\n  Embeddings   ${model}, on this machine` : ''}

${linkLines(output, link).join('\n')}

All keys are on this machine, in the data directory: fine for a laptop, see docs/security.md for production.

Try next, in another terminal:
  npx memrelay remember "Ana likes her tea with lemon"
  npx memrelay recall "what does Ana drink?"
  npx memrelay doctor
  npx memrelay mcp install claude-code    (or another agent: docs/tools.md)

Ctrl-C stops it.`);
}

/**
 * Reports that the system of this directory is running, and its addresses. Returns false if it does not respond,
 * because it is starting or stopping.
 */
export async function announceRunning(output: Output, directory: string): Promise<boolean> {
  const dashboard = await readLocalDashboard(directory);
  if (!dashboard || !(await answers(dashboard))) return false;
  const { url, relayerUrl, blobstoreUrl, chainUrl } = dashboard;
  const urls: Urls = {
    ...(relayerUrl ? { relayer: relayerUrl } : {}),
    dashboard: url,
    ...(blobstoreUrl ? { blobstore: blobstoreUrl } : {}),
    ...(chainUrl ? { localnet: chainUrl } : {}),
  };
  const { link, expiresAt } = pairingLink(dashboard);
  output.result({
    event: 'already_running',
    urls,
    pairing_link: link,
    pairing_link_expires_at: expiresAt.toISOString(),
    data_dir: directory,
  });
  output.line(`${output.paint('bold', 'memrelay is already running')} on this data directory.

${addressLines(output, urls).join('\n')}
  Data         ${directory}

${linkLines(output, link).join('\n')}

Ctrl-C in its terminal stops it.`);
  return true;
}

function remarks({ renewed, active, credentialsPath }: RunningSystem): string[] {
  return [
    ...(renewed
      ? [
          `The key of this system was revoked or had expired. A new one was created for the account, in ${credentialsPath}.`,
        ]
      : []),
    ...(active
      ? []
      : [
          'The account is switched off: nothing can be stored or recalled. `npx memrelay account reactivate` switches it on.',
        ]),
  ];
}

async function answers({ url, relayerUrl }: LocalDashboard): Promise<boolean> {
  try {
    if (relayerUrl) await readHealth(relayerUrl);
    else await fetch(url, { signal: AbortSignal.timeout(5_000) });
    return true;
  } catch {
    return false;
  }
}

function addressLines({ paint }: Output, urls: Urls): string[] {
  const rows = [
    ['Relayer', urls.relayer],
    ['Dashboard', urls.dashboard],
    ['Blob store', urls.blobstore],
    ['Chain', urls.localnet],
  ] as const;
  return rows.flatMap(([name, url]) => (url ? [`  ${name.padEnd(13)}${paint('cyan', url)}`] : []));
}

function linkLines({ paint }: Output, link: string): string[] {
  return [
    'Open your dashboard (this link works once, within ten minutes; `npx memrelay pair` prints another):',
    `  ${paint('cyan', link)}`,
  ];
}
