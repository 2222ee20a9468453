import { type RunningPart, startPart } from '@memrelay/process/start-part';
import type { PartSettings } from './part-settings.ts';

/** Starts a part and restarts it whenever it ends, until it ends too often. */
export interface SupervisedPart {
  url: string;
  /** Stops restarting the part. Needed because Ctrl-C in a terminal also reaches the parts. */
  letEnd(): void;
  stop(): Promise<void>;
}

export interface SupervisorOptions {
  settings: PartSettings;
  onLine: (line: string) => void;
  onStderr: (text: string) => void;
  onRestart: (how: string) => void;
  /** The part ended too often and is no longer restarted */
  onGivenUp: (reason: string) => void;
}

const restartsAllowed = 5;
const withinMs = 60_000;

export async function supervisePart(options: SupervisorOptions): Promise<SupervisedPart> {
  const start = (): Promise<RunningPart> =>
    startPart({ ...options.settings, onLine: options.onLine, onStderr: options.onStderr });
  let part = await start();
  let stopping = false;
  /** Settles when a restart in progress has ended, so that stopping leaves no process behind */
  let restarting: Promise<void> | undefined;
  const restarts: number[] = [];

  async function watch(): Promise<void> {
    const how = await part.ended;
    if (stopping) return;
    const now = Date.now();
    restarts.push(now);
    const recent = restarts.filter((time) => time > now - withinMs).length;
    if (recent > restartsAllowed)
      return options.onGivenUp(`${options.settings.name} ended ${recent} times within a minute (${how})`);
    options.onRestart(how);
    const starting = start();
    restarting = starting.then(
      () => undefined,
      () => undefined,
    );
    try {
      part = await starting;
    } catch (error) {
      if (!stopping) options.onGivenUp((error as Error).message);
      return;
    }
    void watch();
  }
  void watch();
  return {
    url: part.url,
    letEnd() {
      stopping = true;
    },
    async stop() {
      stopping = true;
      await restarting;
      await part.stop();
    },
  };
}
