import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { dataDir } from '@memrelay/sdk/data-dir-node';
import { type LocalDashboard, readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import { isLoopback, readTrustedOrigins } from '@memrelay/sdk/trusted-origins-node';
import { dashboardOf, presets, type Service } from '../presets.ts';
import { ToolRefusal } from '../tools/tool-refusal.ts';
import type { Settings } from './settings.ts';

/**
 * The relayer for calls with these credentials: the one in this process's settings, else the one in the credentials. Throws
 * `ToolRefusal` before anything is sent to an origin that the user has not approved (security.md "Tools, sign-in, pages"):
 * the settings of a host may come with a cloned project.
 */
export async function chooseRelayer(
  settings: Pick<Settings, 'relayerUrl'>,
  credentials: CredentialFile,
): Promise<string> {
  const relayerUrl = settings.relayerUrl ?? credentials.relayerUrl;
  const { origin } = new URL(relayerUrl);
  if (origin === new URL(credentials.relayerUrl).origin || isLoopback(relayerUrl)) return relayerUrl;
  if ((await readTrustedOrigins()).includes(origin)) return relayerUrl;
  throw new ToolRefusal(
    'untrusted_relayer',
    [
      `Nothing was sent: this session is configured for the relayer ${origin}, but the user signed in at ${new URL(credentials.relayerUrl).origin}.`,
      `Tell the user. Only if they know ${origin} and want their memories sent there, they should run in a terminal: npx memrelay trust ${origin}`,
      "Otherwise they should remove --relayer (or MEM_SERVER_URL) from this host's configuration. Do not run the command for them.",
    ].join('\n'),
  );
}

/**
 * The relayer and dashboard for a sign-in. A local system running on this machine reports its own addresses, because its
 * ports may differ from the preset's. Throws `ToolRefusal` if no dashboard is known, and like `chooseRelayer`.
 */
export async function chooseService(settings: Settings, credentials?: CredentialFile): Promise<Service> {
  const running = await readLocalDashboard(dataDir());
  const relayerUrl = credentials
    ? await chooseRelayer(settings, credentials)
    : (settings.relayerUrl ?? relayerOf(settings.webUrl) ?? defaultRelayer(running));
  const here = isLoopback(relayerUrl);
  const webUrl =
    settings.webUrl ??
    (here ? running?.url : undefined) ??
    dashboardOf(relayerUrl) ??
    (here ? presets.local!.webUrl : undefined);
  if (webUrl !== undefined) return { relayerUrl, webUrl };
  throw new ToolRefusal(
    'no_dashboard',
    `The dashboard where users of ${relayerUrl} sign in is not known. Tell the user to add its address with --web-url URL (or MEM_WEB_URL) to the configuration of this host.`,
  );
}

/** Production if this build has one, else the local system. */
function defaultRelayer(running: LocalDashboard | undefined): string {
  return presets.prod?.relayerUrl ?? running?.relayerUrl ?? presets.local!.relayerUrl;
}

function relayerOf(webUrl: string | undefined): string | undefined {
  if (webUrl === undefined) return undefined;
  const { origin } = new URL(webUrl);
  return Object.values(presets).find((service) => service && new URL(service.webUrl).origin === origin)
    ?.relayerUrl;
}
