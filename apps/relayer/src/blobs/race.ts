/**
 * Returns the result of the first attempt that succeeds and aborts the others. The next attempt starts `afterMs` after
 * the previous one (0: all at once), or immediately when one fails. Rejects with an `AggregateError` of all failures,
 * or with the signal's reason if the signal is aborted first.
 */
export function race<T>(
  attempts: readonly ((signal: AbortSignal) => Promise<T>)[],
  options: { afterMs: number; signal: AbortSignal },
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = new AbortController();
  const failures: unknown[] = [];
  let started = 0;
  let timer: NodeJS.Timeout | undefined;

  function startNext(): void {
    clearTimeout(timer);
    const attempt = attempts[started];
    if (!attempt) return;
    started += 1;
    attempt(stop.signal).then(resolve, (failure: unknown) => {
      if (stop.signal.aborted) return;
      failures.push(failure);
      if (failures.length === attempts.length) reject(new AggregateError(failures));
      else startNext();
    });
    if (options.afterMs === 0) startNext();
    else timer = setTimeout(startNext, options.afterMs);
  }

  const giveUp = (): void => reject(options.signal.reason);
  options.signal.addEventListener('abort', giveUp);
  if (options.signal.aborted) giveUp();
  else startNext();
  return promise.finally(() => {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', giveUp);
    stop.abort();
  });
}
