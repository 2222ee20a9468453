import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { loadCredentials } from '@memrelay/sdk/credentials-node';
import { MemRelay } from '@memrelay/sdk/mem-relay';
import type { MemRelayOptions } from '@memrelay/sdk/types';

/** Options of every command that calls a relayer. */
export interface ConnectOptions {
  json?: boolean;
  /** Path of a credential file */
  credentials?: string;
  /** Base URL of the relayer, instead of the one in the credential file */
  server?: string;
}

export interface NamespaceOption {
  namespace?: string;
}

export interface ConnectedClient {
  client: MemRelay;
  credentials: CredentialFile;
  serverUrl: string;
}

/**
 * Creates a client with the credentials of `--credentials`, else of the files the SDK looks for. Sends nothing yet.
 * Throws `invalid_credentials` and `invalid_argument` (SDK).
 */
export async function connectClient(
  options: ConnectOptions,
  overrides: Partial<MemRelayOptions> = {},
): Promise<ConnectedClient> {
  const credentials = await loadCredentials(options.credentials);
  const serverUrl = options.server ?? credentials.relayerUrl;
  return {
    client: MemRelay.fromCredentials(credentials, { serverUrl, ...overrides }),
    credentials,
    serverUrl,
  };
}

/** Runs `work` with a connected client and destroys its key afterwards. */
export async function withClient<T>(
  options: ConnectOptions,
  work: (connected: ConnectedClient) => Promise<T>,
): Promise<T> {
  const connected = await connectClient(options);
  try {
    return await work(connected);
  } finally {
    connected.client.destroy();
  }
}
