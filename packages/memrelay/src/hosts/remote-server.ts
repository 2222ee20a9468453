import { loadCredentials } from '@memrelay/sdk/credentials-node';
import { isLoopback } from '@memrelay/sdk/trusted-origins-node';
import { ExitError, exitCodes } from '../exit-codes.ts';
import type { ServerEntry } from './host.ts';

/** What stands for the private key wherever the entry is shown. */
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
  if (!relayerUrl.startsWith('https:') && !isLoopback(relayerUrl))
    throw new ExitError(
      exitCodes.usage,
      `${relayerUrl} is not https: the private key would travel in the clear. Install without --remote, which never sends it.`,
    );
  return {
    kind: 'remote',
    url: `${relayerUrl.replace(/\/+$/, '')}/api/mcp`,
    headers: {
      Authorization: `Bearer ${delegatePrivateKey}`,
      'x-mem-account-id': accountId,
      ...(options.namespace === undefined ? {} : { 'x-mem-namespace': options.namespace }),
    },
  };
}

/** The same without the key, to be shown. */
export function withoutKey(server: ServerEntry): ServerEntry {
  if (server.kind === 'local') return server;
  return { ...server, headers: { ...server.headers, Authorization: hidden } };
}
