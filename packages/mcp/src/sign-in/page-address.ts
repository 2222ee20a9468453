import { newPairingCode, readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import { SignInError } from './sign-in-error.ts';

const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * The dashboard's address without a trailing slash. Throws `insecure_web_url` if it is neither https nor on this machine:
 * an attacker on the network could serve their own page to the user's wallet.
 */
export function checkedWebUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHosts.has(url.hostname))))
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  throw new SignInError('insecure_web_url', 'The dashboard address must use https or be on this machine.');
}

/**
 * Fragment parameter with a pairing code for the local system's dashboard, so that one click is enough on a laptop. Empty
 * unless the link leads to that dashboard and this user may read its secret.
 */
export async function pairingParameter(webUrl: string, dataDir: string, expiresAt: Date): Promise<string> {
  const { hostname, port, protocol } = new URL(webUrl);
  if (protocol !== 'http:' || !loopbackHosts.has(hostname)) return '';
  const local = await readLocalDashboard(dataDir);
  if (!local || new URL(local.url).port !== port) return '';
  return `&pairing=${newPairingCode(local.token, expiresAt)}`;
}
