import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addressPattern } from '@memrelay/protocol/address';
import type { CredentialFile } from '@memrelay/protocol/credential-file';
import { loadCredentials } from '@memrelay/sdk/credentials-node';
import { MemRelayError } from '@memrelay/sdk/errors';
import { readLocalDashboard } from '@memrelay/sdk/local-dashboard-node';
import { isLoopback } from '@memrelay/sdk/trusted-origins-node';
import { SignInError } from './sign-in-error.ts';

/**
 * The only wallet that may sign a tool in at this relayer: the owner of the local system, if `relayerUrl` is the relayer
 * that `memrelay up` runs on this data directory. Any wallet can create an account on a local network, including another
 * user's of the same machine. Undefined for every other relayer. Throws `SignInError` `local_wallet_unknown` if the data
 * directory does not name its wallet.
 */
export async function expectedWallet(relayerUrl: string, dataDir: string): Promise<string | undefined> {
  if (!isLoopback(relayerUrl)) return undefined;
  const credentials = await localCredentials(join(dataDir, 'credentials.json'));
  const running = await readLocalDashboard(dataDir);
  const own = [credentials?.relayerUrl, running?.relayerUrl];
  if (!own.some((url) => url !== undefined && endpointOf(url) === endpointOf(relayerUrl))) return undefined;
  const wallet = credentials?.walletAddress ?? (await walletAddress(join(dataDir, 'wallet.json')));
  return wallet.toLowerCase();
}

async function localCredentials(path: string): Promise<CredentialFile | undefined> {
  if (!existsSync(path)) return undefined;
  try {
    return await loadCredentials(path);
  } catch (error) {
    if (error instanceof MemRelayError) throw unknown(error.message);
    throw error;
  }
}

async function walletAddress(path: string): Promise<string> {
  try {
    const { address } = JSON.parse(await readFile(path, 'utf8')) as { address?: unknown };
    if (typeof address === 'string' && addressPattern.test(address)) return address;
  } catch {}
  throw unknown(`${path} does not name a wallet.`);
}

function unknown(reason: string): SignInError {
  return new SignInError(
    'local_wallet_unknown',
    `Cannot start a sign-in to the local system, because its wallet is not known: ${reason}`,
  );
}

/** Treats all names of this machine as equal. */
function endpointOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${isLoopback(url) ? 'loopback' : hostname}:${port}`;
}
