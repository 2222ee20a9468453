import { ExitError, exitCodes } from './exit-codes.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/**
 * `npm` and `timeout` forward a signal that the terminal already sent: signals within this time count as one Ctrl-C.
 */
const sameMs = 1_000;

/** Turns Ctrl-C and similar signals into an abort of the running work. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Ends the work for another reason */
  abort(reason: Error): void;
  /** Restores the default handling of the signals */
  release(): void;
}

/**
 * From now on the first signal aborts with an `ExitError` for `interrupted` and `message`. Another signal more than a
 * second later ends the process immediately.
 */
export function catchInterruption(message: string): Interruption {
  const controller = new AbortController();
  let first: number | undefined;
  const onSignal = (): void => {
    first ??= Date.now();
    if (Date.now() - first > sameMs) process.exit(exitCodes.interrupted);
    controller.abort(new ExitError(exitCodes.interrupted, message));
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release() {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

/** Resolves when `signal` aborts. */
export function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
