import { useCallback, useEffect, useRef, useState } from 'react';

export type RunState<Result> =
  | { kind: 'idle' }
  | { kind: 'running' }
  | { kind: 'stopped' }
  | { kind: 'done'; result: Result }
  | { kind: 'failed'; error: unknown };

export interface Run<Argument, Result> {
  state: RunState<Result>;
  start(argument: Argument): void;
  /** Aborts the signal; the state becomes `stopped` */
  stop(): void;
  reset(): void;
}

/** A long operation that can be stopped, and that ends with the page. */
export function useRun<Argument, Result>(
  work: (argument: Argument, signal: AbortSignal) => Promise<Result>,
): Run<Argument, Result> {
  const [state, setState] = useState<RunState<Result>>({ kind: 'idle' });
  const running = useRef<AbortController>(undefined);
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => () => running.current?.abort(), []);
  const start = useCallback((argument: Argument): void => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const settle = (next: RunState<Result>): void => {
      if (running.current === controller) setState(next);
    };
    setState({ kind: 'running' });
    latest
      .current(argument, controller.signal)
      .then((result) => settle(controller.signal.aborted ? { kind: 'stopped' } : { kind: 'done', result }))
      .catch((error: unknown) =>
        settle(controller.signal.aborted ? { kind: 'stopped' } : { kind: 'failed', error }),
      );
  }, []);
  const stop = useCallback(() => running.current?.abort(), []);
  const reset = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
    setState({ kind: 'idle' });
  }, []);
  return { state, start, stop, reset };
}
