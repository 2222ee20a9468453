import { setTimeout } from 'node:timers/promises';

/** How old an answer about what lives may be, in milliseconds. */
const maxAgeMs = 1000;
/** How long what is known to live waits for a chain that hangs. */
const patienceMs = 500;

/** Answers from what was read from the chain a moment ago, and reads again where that is not enough. */
export interface Freshness {
  /** The epoch, read now. Rejects as the read does. */
  now(): Promise<number>;
  /**
   * What `look` finds at the present epoch. Before an answer "nothing" the chain is read anew, so that what was
   * certified elsewhere just now is found; it rejects when that is not possible. What is known to live is
   * answered even while the chain cannot be reached.
   */
  ask<T>(look: (epoch: number) => T[]): Promise<T[]>;
}

/**
 * `read` brings what is known up to date and resolves to the epoch. Calls share a read that begins after them,
 * never one that had begun before: it may have missed what its caller knows to be there. `epoch` is what
 * has been read already, so that there is always something known.
 */
export function createFreshness(epoch: number, read: () => Promise<number>): Freshness {
  let known = epoch;
  let attemptedAtMs = performance.now();
  let reading: Promise<number> | undefined;
  let next: Promise<number> | undefined;

  function start(): Promise<number> {
    next = undefined;
    attemptedAtMs = performance.now();
    reading = read()
      .then((current) => {
        known = current;
        return current;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  }

  function refresh(): Promise<number> {
    if (reading === undefined) return start();
    next ??= reading.then(start, start);
    return next;
  }

  async function refreshIfOld(): Promise<void> {
    if (performance.now() - attemptedAtMs <= maxAgeMs) return;
    const patience = setTimeout(patienceMs, undefined, { ref: false });
    await Promise.race([refresh().catch(() => undefined), patience]);
  }

  return {
    now: refresh,
    async ask(look) {
      await refreshIfOld();
      const found = look(known);
      return found.length > 0 ? found : look(await refresh());
    },
  };
}
