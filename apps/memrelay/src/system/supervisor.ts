/** A process that can be watched and stopped. */
export interface Process {
  /** Resolves with a description when the process ends for any reason */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** A process that is restarted whenever it ends, until it ends too often. */
export interface SupervisedProcess<P extends Process> {
  /** The process that runs now, or ran last */
  readonly current: P;
  /** Stops restarting it */
  letEnd(): void;
  stop(): Promise<void>;
}

export interface SupervisorOptions<P extends Process> {
  /** What it runs, in messages */
  name: string;
  start: () => Promise<P>;
  onRestart: (how: string) => void;
  /** The process ended too often and is no longer restarted */
  onGivenUp: (reason: string) => void;
}

const restartsAllowed = 5;
const withinMs = 60_000;

/** Starts the process. Throws the error of its first start. */
export async function supervise<P extends Process>(
  options: SupervisorOptions<P>,
): Promise<SupervisedProcess<P>> {
  let current = await options.start();
  let stopping = false;
  /** Settles when a restart in progress has ended, so that stopping leaves no process behind */
  let restarting: Promise<void> | undefined;
  const restarts: number[] = [];

  async function watch(): Promise<void> {
    const how = await current.ended;
    if (stopping) return;
    const now = Date.now();
    restarts.push(now);
    const recent = restarts.filter((time) => time > now - withinMs).length;
    if (recent > restartsAllowed)
      return options.onGivenUp(`${options.name} ended ${recent} times within a minute (${how})`);
    options.onRestart(how);
    const starting = options.start();
    restarting = starting.then(
      () => undefined,
      () => undefined,
    );
    try {
      current = await starting;
    } catch (error) {
      if (!stopping) options.onGivenUp((error as Error).message);
      return;
    }
    void watch();
  }
  void watch();
  return {
    get current() {
      return current;
    },
    letEnd() {
      stopping = true;
    },
    async stop() {
      stopping = true;
      await restarting;
      await current.stop();
    },
  };
}
