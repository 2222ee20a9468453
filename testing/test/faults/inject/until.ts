import { setTimeout as pause } from 'node:timers/promises';

/** Polls until `condition` returns true; returns false after `timeoutMs`. An error of the condition counts as false. */
export async function until(
  condition: () => Promise<boolean> | boolean,
  timeoutMs: number,
): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await pause(10)) {
    const holds = await Promise.resolve()
      .then(condition)
      .catch(() => false);
    if (holds) return true;
  }
  return false;
}

/** Whether the promise settles within `timeoutMs`. */
export async function inTime(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const ending = new AbortController();
  const late = pause(timeoutMs, false, { signal: ending.signal }).catch(() => false);
  const settled = await Promise.race([promise.then(() => true), late]);
  ending.abort();
  return settled;
}
