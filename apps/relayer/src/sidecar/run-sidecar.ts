import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { supervisedVariable } from '@memrelay/protocol/supervised';
import type { Logger } from 'pino';
import { type SidecarClient, tokenProof } from './sidecar-client.ts';

/** What the sidecar may see of the relayer's environment: nothing of the database, Redis or the LLM provider. */
const passedVariables = [
  'PATH',
  'HOME',
  'NODE_OPTIONS',
  'SIDECAR_AUTH_TOKEN',
  'MEM_PACKAGE_ID',
  'MEM_RELAYER_URL',
  'RUST_LOG',
  'LOG_FORMAT',
  'SERVER_CHAIN_PRIVATE_KEY',
  'SERVER_CHAIN_PRIVATE_KEYS',
] as const;
const passedPrefixes = ['CHAIN_', 'ENC_', 'STORE_', 'SPONSOR_', 'MCP_'] as const;

/** Removed from this process once the sidecar has them: only it signs and decrypts. */
const keyVariables = [
  'SERVER_CHAIN_PRIVATE_KEY',
  'SERVER_CHAIN_PRIVATE_KEYS',
  'SPONSOR_API_KEY',
  'ENC_SERVER_CONFIGS',
  'STORE_PUBLISHER_JWT_SECRET',
] as const;

export interface RunSidecarOptions {
  url: string;
  token: string;
  client: SidecarClient;
  environment: NodeJS.ProcessEnv;
  relayerUrl: string;
  watchdog: { intervalMs: number; timeoutMs: number; maxFailures: number };
  log: Logger;
  /** The sidecar is gone or does not answer any more: this process must end so that its platform restarts it */
  onLost: (reason: string) => void;
}

export interface RunningSidecar {
  /** True when a sidecar that was there already is used */
  adopted: boolean;
  stop(): Promise<void>;
}

/**
 * Starts the sidecar on the URL's port, or adopts a healthy one that holds the same token, and watches over it.
 * Throws when the port is held by something else or the sidecar does not come up.
 */
export async function runSidecar(options: RunSidecarOptions): Promise<RunningSidecar> {
  const child = (await isOurs(options)) ? undefined : await start(options);
  for (const name of keyVariables) delete options.environment[name];
  let stopping = false;
  child?.once('exit', (code, signal) => {
    if (!stopping) options.onLost(`the sidecar ended (${signal ?? `exit code ${code}`})`);
  });
  const stopWatching = watch(options);
  return {
    adopted: child === undefined,
    async stop() {
      stopping = true;
      stopWatching();
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      // Closed stdin is the sign to end; a sidecar that does not is killed
      child.stdin?.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 8_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

async function isOurs({ client, token, url }: RunSidecarOptions): Promise<boolean> {
  const health = await client.health(1_000).catch(() => undefined);
  if (!health) return false;
  if (health.token_proof === tokenProof(token)) return true;
  throw new Error(`another sidecar with another SIDECAR_AUTH_TOKEN answers at ${url} (SIDECAR_URL)`);
}

async function start(options: RunSidecarOptions): Promise<ChildProcess> {
  const environment: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(options.environment))
    if (passedVariables.includes(name as never) || passedPrefixes.some((prefix) => name.startsWith(prefix)))
      environment[name] = value;
  const entry = fileURLToPath(new URL('../../../sidecar/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
    env: {
      ...environment,
      SIDECAR_URL: options.url,
      MEM_RELAYER_URL: environment.MEM_RELAYER_URL ?? options.relayerUrl,
      [supervisedVariable]: '1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout! });
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the sidecar did not start within 20 seconds')), 20_000);
    lines.on('line', (line) => {
      if (line.includes('"event":"listening"')) {
        clearTimeout(timer);
        resolve();
      } else {
        process.stdout.write(`${line}\n`);
      }
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the sidecar ended at its start with exit code ${code}; its message is above`));
    });
  });
  await ready.catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  return child;
}

/** Asks for health at the interval; as many failures in a row as allowed end the relayer (spec, limits). */
function watch({ client, watchdog, log, onLost }: RunSidecarOptions): () => void {
  let failures = 0;
  const timer = setInterval(async () => {
    try {
      await client.health(watchdog.timeoutMs);
      failures = 0;
    } catch {
      failures += 1;
      log.warn({ failures, max: watchdog.maxFailures }, 'the sidecar does not answer');
      if (failures === watchdog.maxFailures) onLost(`the sidecar failed ${failures} health checks in a row`);
    }
  }, watchdog.intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
