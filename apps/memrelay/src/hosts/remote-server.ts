import { loadCredentials } from '@memrelay/sdk/credentials-node';
import { isLoopback } from '@memrelay/sdk/trusted-origins-node';
import type { ServerEntry } from 'memrelay-mcp/hosts/host';
import { ExitError, exitCodes } from '../terminal/exit-codes.ts';

/** Shown instead of the private key. */
const hidden = 'Bearer (the private key of the credentials)';

/**
 * The relayer's own tool server, with the credentials that open it (relayer.md "Tool-server HTTP transport"). Throws
 * `invalid_credentials` (SDK), and `ExitError` where the key would travel in the clear.
 */
export async function remoteServer(options: {
  credentials?: string;
  namespace?: string;
}): Promise<ServerEntry & { kind: 'remote' }> {
  const { delegatePrivateKey, accountId, relayerUrl } = await loadCredentials(options.credentials);
  // With other characters, hosts reject the whole entry or send other bytes than the relayer expects.
  if (options.namespace !== undefined && !/^[!-~](?:[ -~]*[!-~])?$/.test(options.namespace))
    throw new ExitError(
      exitCodes.usage,
      'With --remote the namespace is sent in a header, where hosts accept only ASCII. Install without --remote, or choose another name.',
    );
  return {
    kind: 'remote',
    url: toolsOf(relayerUrl),
    headers: {
      Authorization: `Bearer ${delegatePrivateKey}`,
      'x-mem-account-id': accountId,
      ...namespaceHeader(options.namespace),
    },
  };
}

/**
 * The tool server of a relayer that the host signs in at by itself, in a browser. Throws `ExitError` for plain http.
 */
export function signInServer(
  relayerUrl: string,
  namespace: string | undefined,
): ServerEntry & { kind: 'remote' } {
  return { kind: 'remote', url: toolsOf(relayerUrl), headers: namespaceHeader(namespace) };
}

/** Whether the entry holds a private key. */
export function holdsKey(server: ServerEntry): boolean {
  return server.kind === 'remote' && server.headers.Authorization !== undefined;
}

function toolsOf(relayerUrl: string): string {
  const isSafe = URL.canParse(relayerUrl) && (relayerUrl.startsWith('https:') || isLoopback(relayerUrl));
  if (!isSafe)
    throw new ExitError(
      exitCodes.usage,
      `${relayerUrl} is not https: the key to your memories would be sent unencrypted. Install without --remote, which signs on this machine.`,
    );
  return `${relayerUrl.replace(/\/+$/, '')}/api/mcp`;
}

function namespaceHeader(namespace: string | undefined): Record<string, string> {
  return namespace === undefined ? {} : { 'x-mem-namespace': namespace };
}

/** The entry without the key, for display. */
export function withoutKey(server: ServerEntry): ServerEntry {
  if (server.kind === 'local' || !holdsKey(server)) return server;
  return { ...server, headers: { ...server.headers, Authorization: hidden } };
}
