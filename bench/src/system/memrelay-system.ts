import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@memrelay/dev-env/services/postgres';
import { startRedis } from '@memrelay/dev-env/services/redis';
import type { RunningService } from '@memrelay/dev-env/services/service';
import { createTestDatabase } from '@memrelay/dev-env/services/test-database';
import { freePorts } from '@memrelay/process/free-ports';
import { type CredentialFile, credentialFileSchema } from '@memrelay/protocol/credential-file';
import { pidOf } from './processes.ts';

/** A Postgres (fsync on) and a Redis for one bench. */
export interface Services {
  /** A separate database, empty at first */
  databaseUrl: string;
  redisUrl: string;
  /** Creates another empty database */
  anotherDatabase(): Promise<string>;
  stop(): Promise<void>;
}

export async function startServices(): Promise<Services> {
  const started: RunningService[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.splice(0).map((service) => service.stop()));
  };
  try {
    const postgres = await startPostgres();
    started.push(postgres);
    const redis = await startRedis();
    started.push(redis);
    const { url } = await createTestDatabase(postgres.url);
    const anotherDatabase = async () => (await createTestDatabase(postgres.url)).url;
    return { databaseUrl: url, redisUrl: redis.url, anotherDatabase, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface BenchSystem {
  credentials: CredentialFile;
  /** Private half of the account owner's wallet */
  walletKey: string;
  chainUrl: string;
  /** Stops the blob store and with it all uploads, as if it were slow; the returned function resumes it. */
  pauseUploads(): () => void;
  /** Stops the system, and restarts it with the same network, blobs and secrets on another database. */
  restartOn(databaseUrl: string): Promise<void>;
  stop(): Promise<void>;
}

const entry = fileURLToPath(new URL('../../../apps/memrelay/src/main.ts', import.meta.url));

/**
 * Starts the whole system as a user does, with `memrelay up`, in a temporary directory on free ports. Without
 * `services` it runs on the embedded defaults; `environment` has additional variables.
 */
export async function startBenchSystem(
  services?: Services,
  environment: Readonly<Record<string, string>> = {},
): Promise<BenchSystem> {
  const directory = await mkdtemp(join(tmpdir(), 'memrelay-bench-'));
  const [relayer, sidecar, localnet, blobstore, dashboard] = await freePorts(5);
  const { PATH, HOME, TMPDIR, NODE_OPTIONS } = process.env;
  const up = (databaseUrl = services?.databaseUrl): Promise<Running> =>
    startUp({
      ...{ PATH, HOME, TMPDIR, NODE_OPTIONS },
      RUST_LOG: 'error',
      // Their memory and processor time are measured one by one, and uploads are paused without the chain
      MEM_LOCAL_PROCESSES: 'separate',
      MEM_DATA_DIR: directory,
      PORT: String(relayer),
      SIDECAR_URL: `http://127.0.0.1:${sidecar}`,
      LOCALNET_PORT: String(localnet),
      BLOBSTORE_PORT: String(blobstore),
      DASHBOARD_PORT: String(dashboard),
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...(services && { REDIS_URL: services.redisUrl }),
      ...environment,
    });
  let running: Running | undefined;
  const stop = async (): Promise<void> => {
    await running?.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    running = await up();
    const json = async (name: string): Promise<unknown> =>
      JSON.parse(await readFile(join(directory, name), 'utf8'));
    const wallet = (await json('wallet.json')) as { privateKey: string };
    return {
      credentials: credentialFileSchema.parse(await json('credentials.json')),
      walletKey: wallet.privateKey,
      chainUrl: `http://127.0.0.1:${localnet}`,
      pauseUploads() {
        const pid = pidOf('blobstore');
        process.kill(pid, 'SIGSTOP');
        return () => process.kill(pid, 'SIGCONT');
      },
      async restartOn(databaseUrl) {
        await running?.stop();
        running = await up(databaseUrl);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Running {
  stop(): Promise<void>;
}

/** Starts `memrelay up` and waits until it is ready. */
async function startUp(env: NodeJS.ProcessEnv): Promise<Running> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, 'up', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  try {
    await ready(child, ended);
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function ready(child: ChildProcess, ended: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (line.startsWith('{"event":"ready"')) resolve();
    });
    void ended.then(() => reject(new Error('memrelay up ended before it was ready')));
  });
}
