import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PartStartError, type RunningPart, startPart } from '@memrelay/process/start-part';
import { sidecarTokenProof } from '@memrelay/protocol/sidecar-token-node';
import { variablesOf } from '@memrelay/protocol/variables';
import type { Logger } from 'pino';
import { ConfigError } from '../base/config/config-error.ts';
import type { SidecarClient } from './sidecar-client.ts';

/** Environment variables passed to the sidecar: none of the database, Redis or the LLM provider. */
const passedVariables: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'NODE_OPTIONS',
  'MALLOC_ARENA_MAX',
  ...variablesOf('sidecar'),
]);

/** Deleted from this process's environment once the sidecar has them: only the sidecar signs and decrypts. */
const keyVariables = [
  'SERVER_CHAIN_PRIVATE_KEY',
  'SERVER_CHAIN_PRIVATE_KEYS',
  'SPONSOR_API_KEY',
  'ENC_SERVER_CONFIGS',
  'ENC_HISTORICAL_SETS',
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
  /** The sidecar exited or no longer responds: this process must exit so that the platform restarts it */
  onLost: (reason: string) => void;
}

export interface RunningSidecar {
  /** Stops the sidecar if it was started here; a sidecar that the operator runs is left running */
  stop(): Promise<void>;
}

/**
 * Starts the sidecar on the URL's port, or adopts a healthy one with the same token, and monitors it. Throws if another
 * process uses the port or the sidecar does not become healthy.
 */
export async function runSidecar(options: RunSidecarOptions): Promise<RunningSidecar> {
  const child = (await isOurs(options)) ? undefined : await start(options);
  for (const name of keyVariables) delete options.environment[name];
  let stopping = false;
  void child?.ended.then((how) => {
    if (!stopping) options.onLost(`the sidecar exited (${how})`);
  });
  const stopWatching = watch(options);
  return {
    async stop() {
      stopping = true;
      stopWatching();
      await child?.stop(endMs);
    },
  };
}

/**
 * How long the sidecar may finish work when the relayer stops. The state of unfinished work is read from chain later.
 */
const endMs = 3_000;

/** How long the sidecar of a killed relayer may take to notice that and exit. */
const leaveMs = 15_000;

/**
 * True if a healthy sidecar with our token, run by the operator, is listening. A sidecar that a killed relayer started
 * is about to exit, so waits until its port is free.
 */
async function isOurs({ client, token }: RunSidecarOptions): Promise<boolean> {
  for (const deadline = Date.now() + leaveMs; ; await setTimeout(50)) {
    const health = await client.health(1_000).catch(() => undefined);
    if (!health) return false;
    if (health.token_proof !== sidecarTokenProof(token))
      throw new ConfigError([
        'SIDECAR_URL: a sidecar with another SIDECAR_AUTH_TOKEN answers there; give each relayer its own SIDECAR_URL',
      ]);
    if (!health.supervised) return true;
    if (Date.now() > deadline)
      throw new ConfigError([
        'SIDECAR_URL: the sidecar of another relayer is running there; give each relayer its own SIDECAR_URL',
      ]);
  }
}

/** Prefix of the stderr line in which the sidecar reports why it cannot start (its main.ts). */
const startProblem = 'memrelay sidecar: ';

async function start(options: RunSidecarOptions): Promise<RunningPart> {
  const environment: NodeJS.ProcessEnv = {};
  // Those of OpenTelemetry, such as headers for the collector, apply to both
  for (const [name, value] of Object.entries(options.environment))
    if (passedVariables.has(name) || name.startsWith('OTEL_')) environment[name] = value;
  // Output before the sidecar is ready is either the reason why it cannot start, or goes to the log
  let early: string[] | undefined = [];
  const show = (text: string): void => void process.stderr.write(text);
  const starting = startPart({
    name: 'the sidecar',
    entry: fileURLToPath(new URL('../../../sidecar/src/main.ts', import.meta.url)),
    environment: {
      ...environment,
      SIDECAR_URL: options.url,
      MEM_RELAYER_URL: environment.MEM_RELAYER_URL || options.relayerUrl,
    },
    onLine: (line) => options.log.info({ line }, 'sidecar'),
    onStderr: (text) => (early ? early.push(text) : show(text)),
  });
  try {
    return await starting;
  } catch (error) {
    if (!(error instanceof PartStartError)) throw error;
    early = [];
    const problems = error.stderr.split('\n').filter((line) => line.startsWith(startProblem));
    if (problems.length === 0) throw error;
    throw new ConfigError(problems.map((line) => line.slice(startProblem.length)));
  } finally {
    early.forEach(show);
    early = undefined;
  }
}

/** Polls the sidecar's health. Calls `onLost` after `maxFailures` failures in a row (spec, limits). */
function watch({ client, watchdog, log, onLost }: RunSidecarOptions): () => void {
  let failures = 0;
  const timer = setInterval(async () => {
    try {
      await client.health(watchdog.timeoutMs);
      failures = 0;
    } catch {
      failures += 1;
      log.warn({ failures, max: watchdog.maxFailures }, 'the sidecar does not respond');
      if (failures === watchdog.maxFailures) onLost(`the sidecar failed ${failures} health checks in a row`);
    }
  }, watchdog.intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
