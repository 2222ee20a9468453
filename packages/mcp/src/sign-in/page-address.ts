import { newPairingCode, readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import { SignInError } from './sign-in-error.ts';

const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * The dashboard's address without a slash at its end. Throws `insecure_web_url` when it is neither https nor on this
 * machine: whoever is on the way could put a page of their own in front of the wallet.
 */
export function checkedWebUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHosts.has(url.hostname))))
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  throw new SignInError(
    'insecure_web_url',
    'The address of the dashboard must be https, or on this machine.',
  );
}

/**
 * What is added to the fragment so that one click is enough on a laptop: a pairing code for the dashboard of the local
 * system, when that is where the link leads and this user may read its secret. Else nothing.
 */
export async function pairingParameter(webUrl: string, dataDir: string, expiresAt: Date): Promise<string> {
  const { hostname, port, protocol } = new URL(webUrl);
  if (protocol !== 'http:' || !loopbackHosts.has(hostname)) return '';
  const local = await readLocalDashboard(dataDir);
  if (!local || new URL(local.url).port !== port) return '';
  return `&pairing=${newPairingCode(local.token, expiresAt)}`;
}
