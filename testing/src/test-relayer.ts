import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@memrelay/process/free-ports';
import { type RunningPart, startPart } from '@memrelay/process/start-part';
import type { TestBackend } from './test-backend.ts';
import type { TestNetwork } from './test-network.ts';

export interface TestRelayerOptions extends Pick<TestBackend, 'databaseUrl' | 'redisUrl' | 'keys'> {
  /** Overrides everything else, e.g. STORE_PUBLISHER_URL of a fault proxy */
  environment?: NodeJS.ProcessEnv;
  /** Main file of another version; default: the relayer of this repository */
  entry?: string;
}

/** A relayer process (with its sidecar) that can be killed and restarted with the same settings. */
export interface TestRelayer {
  readonly url: string;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  part(): RunningPart;
  /** `kill -9`; resolves when the process has ended */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  logs(): string;
}

const currentEntry = fileURLToPath(new URL('../../apps/relayer/src/main.ts', import.meta.url));

export async function startTestRelayer(
  network: TestNetwork,
  options: TestRelayerOptions,
): Promise<TestRelayer> {
  const [port, sidecarPort] = await freePorts(2);
  const environment: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: String(port),
    DATABASE_URL: options.databaseUrl,
    REDIS_URL: options.redisUrl,
    MEM_DATA_DIR: network.dataDir,
    ...options.keys,
    SIDECAR_AUTH_TOKEN: randomBytes(32).toString('hex'),
    SIDECAR_URL: `http://127.0.0.1:${sidecarPort}`,
    MEM_PACKAGE_ID: network.info.packageId,
    MEM_REGISTRY_ID: network.info.registryId,
    CHAIN_NETWORK: 'localnet',
    CHAIN_RPC_URL: network.chainUrl,
    STORE_PUBLISHER_URL: network.blobstoreUrl,
    STORE_AGGREGATOR_URL: network.blobstoreUrl,
    // One blob per memory, because tests count them and read them by id; quilt tests override this
    STORE_QUILT_MAX_ITEMS: '1',
    LOG_FORMAT: 'json',
    // Tests send more than a user
    RATE_LIMIT_PER_MINUTE: 'off',
    RATE_LIMIT_PER_HOUR: 'off',
    RATE_LIMIT_KEY_PER_MINUTE: 'off',
    RATE_LIMIT_STORAGE_BYTES: 'off',
    RUST_LOG: 'info',
    ...options.environment,
  };
  const written: string[] = [];
  const keep = (text: string): void => void written.push(text);
  const run = (): Promise<RunningPart> =>
    startPart({
      name: 'relayer',
      entry: options.entry ?? currentEntry,
      environment,
      onLine: keep,
      onStderr: keep,
    });
  let part = await run();
  return {
    url: part.url,
    environment,
    part: () => part,
    async kill() {
      process.kill(part.pid, 'SIGKILL');
      await part.ended;
    },
    async start() {
      part = await run();
    },
    stop: () => part.stop(),
    logs: () => written.join('\n'),
  };
}
