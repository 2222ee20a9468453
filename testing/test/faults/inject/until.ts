import { setTimeout as pause } from 'node:timers/promises';

/** Polls until `condition` holds; false when it does not in time. An error counts as false. */
export async function until(condition: () => Promise<boolean> | boolean, mostMs: number): Promise<boolean> {
  for (const deadline = Date.now() + mostMs; Date.now() < deadline; await pause(10)) {
    const holds = await Promise.resolve()
      .then(condition)
      .catch(() => false);
    if (holds) return true;
  }
  return false;
}

/** False when it does not settle in time. */
export async function inTime(promise: Promise<unknown>, mostMs: number): Promise<boolean> {
  const ending = new AbortController();
  const late = pause(mostMs, false, { signal: ending.signal }).catch(() => false);
  const settled = await Promise.race([promise.then(() => true), late]);
  ending.abort();
  return settled;
}
