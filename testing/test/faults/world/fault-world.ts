import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ChainClient, createChainClient } from '@memrelay/chain/chain-client';
import { addressOfPrivateKey } from '@memrelay/chain/key-file';
import { freePorts } from '@memrelay/process/free-ports';
import type { LocalnetInfo } from '@memrelay/protocol/localnet-info';
import { askFaucet, readLocalnetInfo } from 'memrelay/system/network-info';
import { blobstoreSettings, entryOf, localnetSettings } from 'memrelay/system/part-settings';
import { keptKey } from 'memrelay/system/secret-file';
import { systemPaths } from 'memrelay/system/system-paths';
import { Pool } from 'pg';
import { startEmbeddingProvider } from '../../../src/embedding-provider.ts';
import { preparePostgres } from '../../../src/services/postgres.ts';
import { prepareRedis } from '../../../src/services/redis.ts';
import { createTestOwner, type TestOwner } from '../../../src/test-owner.ts';
import { type HttpProxy, startHttpProxy } from './http-proxy.ts';
import { type RestartingPart, startRestartingPart } from './restarting-part.ts';
import type { RestartingProcess } from './restarting-process.ts';
import { startRestartingService } from './restarting-service.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** A relayer whose clock can be set wrong. */
export interface FaultRelayer extends RestartingPart {
  /** File with the milliseconds that its clock and that of its sidecar are ahead. It is read every 50 ms. */
  clockFile: string;
  /** Proxy in front of the blob store's publisher */
  publisher: HttpProxy;
  /** Proxy in front of the embedding provider */
  provider: HttpProxy;
}

/**
 * All parts that process a memory, each in a process that can be killed, with two relayers on one database.
 */
export interface FaultWorld {
  postgres: RestartingProcess;
  redis: RestartingProcess;
  localnet: RestartingPart;
  blobstore: RestartingPart;
  relayers: readonly FaultRelayer[];
  /** The blob store's disk; undefined where mounting is not possible */
  disk: SmallDisk | undefined;
  /**
   * Until when (Unix time in ms) relayers may reject callers because of their timestamps
   */
  clock: { wrongUntil: number };
  owners: readonly TestOwner[];
  network: { info: LocalnetInfo; chainUrl: string; blobstoreUrl: string; chain: ChainClient };
  /** Bearer of the blob store's routes below /admin */
  adminToken: string;
  /** The publisher's wallet */
  payer: string;
  /** Reads the database independently of the relayers */
  database: Pool;
  redisUrl: string;
  /** Directories that contain all files written by processes of this world */
  directories: readonly string[];
  dimension: number;
  close(): Promise<void>;
}

export interface FaultWorldOptions {
  accounts: number;
  relayers: number;
  /** Receives a line for each end and failed start of a process */
  note: (line: string) => void;
}

/** Vectors can be small in this test */
const dimension = 256;

/** Starts the world. Throws if a part does not start, after stopping all others. */
export async function startFaultWorld(options: FaultWorldOptions): Promise<FaultWorld> {
  const { note } = options;
  const closing: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const dataDir = mkdtempSync(join(tmpdir(), 'memrelay-faults-'));
    closing.push(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 }));
    const logs = join(dataDir, 'logs');
    mkdirSync(logs);
    const paths = systemPaths(dataDir);
    const [localnetPort, blobstorePort, ...relayerPorts] = await freePorts(2 + options.relayers * 2);
    const ports = {
      relayer: 0,
      sidecar: 0,
      dashboard: 0,
      localnet: localnetPort!,
      blobstore: blobstorePort!,
    };

    const [preparedPostgres, preparedRedis] = await Promise.all([
      preparePostgres(),
      prepareRedis({ appendOnly: true }),
    ]);
    const postgres = await startRestartingService('postgres', preparedPostgres, note);
    closing.push(postgres.stop);
    const redis = await startRestartingService('redis', preparedRedis, note);
    closing.push(redis.stop);
    const database = new Pool({ connectionString: preparedPostgres.url, max: 6 });
    // Connections break whenever Postgres is killed
    database.on('error', () => undefined);
    closing.push(() => database.end());

    const localnet = await startRestartingPart(localnetSettings(process.env, ports, paths), logs, note);
    closing.push(localnet.stop);
    const disk = await mountSmallDisk(paths.blobstore);
    if (disk) closing.push(disk.remove);
    const storeWallet = await keptKey(join(paths.keys, 'blobstore-wallet'));
    const payer = addressOfPrivateKey(storeWallet);
    await askFaucet(localnet.url, payer);
    const adminToken = randomBytes(16).toString('hex');
    const store = blobstoreSettings(process.env, ports, paths, localnet.url, storeWallet);
    const blobstore = await startRestartingPart(
      { ...store, environment: { ...store.environment, BLOBSTORE_ADMIN_TOKEN: adminToken } },
      logs,
      note,
    );
    closing.push(blobstore.stop);
    const embeddings = await startEmbeddingProvider();
    closing.push(embeddings.close);
    const info = await readLocalnetInfo(localnet.url);
    const network = {
      info,
      chainUrl: localnet.url,
      blobstoreUrl: blobstore.url,
      chain: createChainClient({ network: 'localnet', baseUrl: localnet.url }),
    };
    const key = (): string => randomBytes(32).toString('hex');
    const shared = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATABASE_URL: preparedPostgres.url,
      REDIS_URL: preparedRedis.url,
      MEM_DATA_DIR: dataDir,
      MEM_SERVER_SECRET: key(),
      MEM_INDEX_KEY: key(),
      MEM_WRITER_KEYS: key(),
      MEM_PACKAGE_ID: info.packageId,
      MEM_REGISTRY_ID: info.registryId,
      CHAIN_NETWORK: 'localnet',
      CHAIN_RPC_URL: localnet.url,
      STORE_AGGREGATOR_URL: blobstore.url,
      LLM_API_KEY: 'test',
      EMBEDDING_DIM: String(dimension),
      // Some memories go into quilts, others alone
      STORE_QUILT_WINDOW_MS: '100',
      RATE_LIMIT_PER_MINUTE: 'off',
      RATE_LIMIT_PER_HOUR: 'off',
      RATE_LIMIT_KEY_PER_MINUTE: 'off',
      RATE_LIMIT_STORAGE_BYTES: 'off',
      LOG_FORMAT: 'json',
      RUST_LOG: 'info',
    };
    const relayers = await Promise.all(
      Array.from({ length: options.relayers }, async (_, i): Promise<FaultRelayer> => {
        const [publisher, provider] = await Promise.all([
          startHttpProxy(blobstore.url),
          startHttpProxy(new URL(embeddings.url).origin),
        ]);
        closing.push(publisher.close, provider.close);
        const clockFile = join(dataDir, `clock-${i}`);
        const clock = pathToFileURL(join(import.meta.dirname, 'shifted-clock.ts'));
        clock.searchParams.set('file', clockFile);
        const environment = {
          ...shared,
          PORT: String(relayerPorts[i * 2]),
          SIDECAR_URL: `http://127.0.0.1:${relayerPorts[i * 2 + 1]}`,
          SIDECAR_AUTH_TOKEN: key(),
          STORE_PUBLISHER_URL: publisher.url,
          LLM_API_BASE: `${provider.url}/v1`,
          NODE_OPTIONS: `--import=${clock.href}`,
        };
        const part = await startRestartingPart(
          { name: `relayer-${i}`, entry: entryOf('relayer'), environment },
          logs,
          note,
        );
        closing.push(part.stop);
        return { ...part, clockFile, publisher, provider };
      }),
    );
    const owners = await Promise.all(
      Array.from({ length: options.accounts }, () => createTestOwner(network)),
    );
    return {
      postgres,
      redis,
      localnet,
      blobstore,
      relayers,
      disk,
      clock: { wrongUntil: 0 },
      owners,
      network,
      adminToken,
      payer,
      database,
      redisUrl: preparedRedis.url,
      directories: [dataDir, preparedPostgres.command.directory, preparedRedis.command.directory],
      dimension,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
