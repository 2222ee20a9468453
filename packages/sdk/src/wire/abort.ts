/** A longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as that is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(ms, maxTimerMs),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Runs `work` with a signal that aborts when the caller's does or after `timeoutMs`. Rejects with the caller's
 * reason, with `onTimeout()` or with whatever `work` threw.
 */
export async function withTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  onTimeout: () => Error,
  signal: AbortSignal | undefined,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort();
  let timedOut = false;
  const timer = setTimeout(
    () => {
      timedOut = true;
      controller.abort();
    },
    Math.min(timeoutMs, maxTimerMs),
  );
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw timedOut ? onTimeout() : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** The result of `shared`, unless the signal is aborted first. `shared` itself continues, because others may wait for it. */
export async function untilAborted<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return shared;
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([shared, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
