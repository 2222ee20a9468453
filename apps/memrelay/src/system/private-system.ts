import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@memrelay/process/free-ports';
import { PortTakenError, type SystemPorts } from './ports.ts';
import { type RunningSystem, startSystem } from './start-system.ts';

export interface PrivateSystemOptions {
  /** Environment of the parts; `DATABASE_URL` and `REDIS_URL` in it replace the embedded ones */
  environment: NodeJS.ProcessEnv;
  onProgress?: (step: string) => void;
  /** A part ended too often and is no longer restarted */
  onGivenUp?: (reason: string) => void;
  signal?: AbortSignal;
}

/** A separate system on free ports, with a temporary data directory. */
export interface PrivateSystem extends RunningSystem {
  dataDir: string;
  /** Output of the parts so far; only the newest part of a long output */
  logs(): string;
  /** Stops it and removes its directory */
  dispose(): Promise<void>;
}

/** Attempts to start: another process may take a port between finding it and using it. */
const attempts = 3;
const logCharacters = 200_000;

/** Starts a private system. Throws the error of the last attempt, after removing everything. */
export async function startPrivateSystem(options: PrivateSystemOptions): Promise<PrivateSystem> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === attempts) throw error;
    }
  }
}

async function startOnce(options: PrivateSystemOptions): Promise<PrivateSystem> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memrelay-'));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  let logs = '';
  try {
    const system = await startSystem({
      dataDir,
      ports: await freeSystemPorts(),
      environment: options.environment,
      onProgress: options.onProgress ?? (() => undefined),
      onOutput(part, text) {
        logs = `${logs}[${part}] ${text}`.slice(-logCharacters);
      },
      onGivenUp: options.onGivenUp ?? (() => undefined),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    return {
      ...system,
      dataDir,
      logs: () => logs,
      async dispose() {
        await system.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A free port for each part. */
export async function freeSystemPorts(): Promise<SystemPorts> {
  const [relayer, sidecar, localnet, blobstore, dashboard] = await freePorts(5);
  return {
    relayer: relayer!,
    sidecar: sidecar!,
    localnet: localnet!,
    blobstore: blobstore!,
    dashboard: dashboard!,
  };
}
