import { fileURLToPath } from 'node:url';
import { type SharedProcess, startSharedProcess } from '@memrelay/process/start-shared';
import { basics, type PartSettings } from './part-settings.ts';
import { supervise } from './supervisor.ts';

export interface SharedPartsOptions {
  /** `MEM_LOCAL_PROCESSES` decides whether the parts share a process */
  environment: NodeJS.ProcessEnv;
  /** Output of a part, or of its process */
  onOutput: (part: string, text: string) => void;
  onGivenUp: (reason: string) => void;
}

/** Parts that share a process. When it ends, all of them are started again. */
export interface SharedParts {
  /** Starts a part and returns its URL. Throws `PartStartError` */
  start(settings: PartSettings<SharedPartName>): Promise<string>;
  /** Closes a part for good; the others continue */
  close(name: SharedPartName): Promise<void>;
  letEnd(): void;
  stop(): Promise<void>;
}

/** A build replaces the URL with that of the bundled file (scripts/build/follow-urls.mjs). */
const entry = new URL('./local-services.ts', import.meta.url);

const names = ['localnet', 'blobstore', 'dashboard'] as const;
export type SharedPartName = (typeof names)[number];

/** Starts the process that localnet, blob store and dashboard share, or one for each, without any of them yet. */
export async function startSharedParts(options: SharedPartsOptions): Promise<SharedParts> {
  const isSeparate = options.environment.MEM_LOCAL_PROCESSES === 'separate';
  const groups = isSeparate ? names.map((name) => [name]) : [names];
  const processes = await Promise.all(groups.map((group) => startGroup(group, options)));
  const processOf = (name: SharedPartName): SharedParts =>
    processes[groups.findIndex((group) => group.includes(name))]!;
  return {
    start: (settings) => processOf(settings.name).start(settings),
    close: (name) => processOf(name).close(name),
    letEnd() {
      for (const each of processes) each.letEnd();
    },
    async stop() {
      for (const each of processes.toReversed()) await each.stop();
    },
  };
}

async function startGroup(
  group: readonly SharedPartName[],
  { environment, onOutput, onGivenUp }: SharedPartsOptions,
): Promise<SharedParts> {
  const name = group.join('+');
  /** In the order of their start */
  const started = new Map<SharedPartName, NodeJS.ProcessEnv>();
  const start = async (): Promise<SharedProcess> => {
    const shared = startSharedProcess({
      entry: fileURLToPath(entry),
      parts: group,
      environment: basics(environment),
      onLog: onOutput,
      onOutput: (text) => onOutput(name, text),
    });
    try {
      for (const [part, own] of started) await shared.start(part, own);
    } catch (error) {
      await shared.stop();
      throw error;
    }
    return shared;
  };
  const supervised = await supervise({
    name,
    start,
    onRestart: (how) => onOutput(name, `${name} ended (${how}); restarting it\n`),
    onGivenUp,
  });
  return {
    async start({ name: part, environment: own }) {
      const url = await supervised.current.start(part, own);
      started.set(part, own);
      return url;
    },
    async close(part) {
      started.delete(part);
      await supervised.current.close(part);
    },
    letEnd: supervised.letEnd,
    stop: supervised.stop,
  };
}
