import { setTimeout } from 'node:timers/promises';

/** How old an answer about what lives may be while the chain can be read, in milliseconds. */
const maxAgeMs = 1000;
/** How long what is known to live waits for a chain that hangs. */
const patienceMs = 500;
/** How long a chain may be silent before what it said last counts for nothing. */
const maxSilenceMs = 60_000;

/** Answers from what was read from the chain a moment ago, and reads again where that is not enough. */
export interface Freshness {
  /** The epoch, read now. Rejects as the read does. */
  now(): Promise<number>;
  /**
   * What `look` finds at the present epoch. Before an answer "nothing" the chain is read anew, so that what was
   * certified elsewhere just now is found; it rejects when that is not possible. What is known to live is answered
   * while the chain cannot be reached, for a minute at most: then its owner may have deleted it long ago.
   */
  ask<T>(look: (epoch: number) => T[]): Promise<T[]>;
}

/**
 * `read` brings what is known up to date and resolves to the epoch. Calls share a read that begins after them,
 * never one that had begun before: it may have missed what its caller knows to be there. `epoch` is what
 * has been read already, so that there is always something known. `now` is a clock in milliseconds.
 */
export function createFreshness(
  epoch: number,
  read: () => Promise<number>,
  now: () => number = () => performance.now(),
): Freshness {
  let known = epoch;
  let attemptedAtMs = now();
  let readAtMs = attemptedAtMs;
  let reading: Promise<number> | undefined;
  let next: Promise<number> | undefined;

  function start(): Promise<number> {
    next = undefined;
    const startedAtMs = now();
    attemptedAtMs = startedAtMs;
    reading = read()
      .then((current) => {
        known = current;
        readAtMs = startedAtMs;
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
    if (now() - attemptedAtMs > maxAgeMs) {
      const patience = setTimeout(patienceMs, undefined, { ref: false });
      await Promise.race([refresh().catch(() => undefined), patience]);
    }
    if (now() - readAtMs > maxSilenceMs) await refresh();
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
