import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@memrelay/process/free-ports';
import { PartStartError, type RunningPart, startPart } from '@memrelay/process/start-part';
import type { TestNetwork } from './localnet-process.ts';

const entry = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const secret = () => randomBytes(32).toString('hex');

/** Everything that a relayer process on this network needs; its publisher and aggregator do not respond. */
export async function relayerEnvironment(
  network: TestNetwork,
  databaseUrl: string,
): Promise<Record<string, string>> {
  const [port, sidecarPort, nothing] = await freePorts(3);
  return {
    PATH: process.env.PATH!,
    HOME: process.env.HOME!,
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    MEM_SERVER_SECRET: secret(),
    MEM_INDEX_KEY: secret(),
    MEM_WRITER_KEYS: secret(),
    SIDECAR_AUTH_TOKEN: secret(),
    SIDECAR_URL: `http://127.0.0.1:${sidecarPort}`,
    MEM_PACKAGE_ID: network.info.packageId,
    MEM_REGISTRY_ID: network.info.registryId,
    CHAIN_NETWORK: 'localnet',
    CHAIN_RPC_URL: network.url,
    STORE_PUBLISHER_URL: `http://127.0.0.1:${nothing}`,
    STORE_AGGREGATOR_URL: `http://127.0.0.1:${nothing}`,
    LOG_FORMAT: 'json',
    // Tests send more than a user
    RATE_LIMIT_PER_MINUTE: 'off',
    RATE_LIMIT_PER_HOUR: 'off',
    RATE_LIMIT_KEY_PER_MINUTE: 'off',
    RATE_LIMIT_STORAGE_BYTES: 'off',
  };
}

export interface RelayerProcess extends RunningPart {
  /** Its output on stdout and stderr so far */
  log(): string;
}

export async function startRelayerProcess(environment: NodeJS.ProcessEnv): Promise<RelayerProcess> {
  const written: string[] = [];
  const keep = (text: string): void => void written.push(text);
  const part = await startPart({
    name: 'relayer',
    entry,
    environment,
    // Its own limit is meant for interactive use
    readyTimeoutMs: 240_000,
    onLine: keep,
    onStderr: keep,
  });
  return { ...part, log: () => written.join('\n') };
}

/** Stderr lines of a relayer that does not start. Fails when it starts, or exits with code 0. */
export async function startRefusal(environment: NodeJS.ProcessEnv): Promise<string[]> {
  try {
    const part = await startRelayerProcess(environment);
    await part.stop();
  } catch (error) {
    if (!(error instanceof PartStartError) || error.exitCode !== 1) throw error;
    return error.stderr.trim().split('\n');
  }
  throw new Error('the relayer has started');
}
