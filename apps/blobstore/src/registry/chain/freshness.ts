import { setTimeout } from 'node:timers/promises';
import { createSharedRead } from './shared-read.ts';

/**
 * Maximum age of the epoch behind a result, in milliseconds, and the interval between queries while the chain has
 * problems.
 */
const maxAgeMs = 1000;
/** How long a query about a live blob waits for a chain that hangs, in milliseconds. */
const patienceMs = 500;
/** How long the last known state may be used while the chain does not respond, in milliseconds. */
const maxSilenceMs = 60_000;

/** Answers queries with the chain's state at the time of the query. */
export interface Freshness {
  /** Reads the epoch now. Rejects if the read fails. */
  now(): Promise<number>;
  /**
   * The result of `look` at the current epoch. The chain's events are read first, because the owner of an object may
   * have deleted it a moment ago, unless `isFinal` says that no event can change the result. An empty result rejects
   * when the chain cannot be read. Known live objects are returned for at most a minute while the chain is
   * unreachable.
   */
  ask<T>(look: (epoch: number) => T[], isFinal?: (found: T[]) => boolean): Promise<T[]>;
}

export interface FreshnessReads {
  /** Reads new events and resolves to the epoch. */
  everything(): Promise<number>;
  /** Applies the latest events. */
  events(): Promise<void>;
}

/** `epoch` has already been read, so that there is always a known one. `now` is a clock in milliseconds. */
export function createFreshness(
  epoch: number,
  reads: FreshnessReads,
  now: () => number = () => performance.now(),
): Freshness {
  let known = epoch;
  /** Start of the last read that returned the epoch, and of the last successful read */
  let epochAtMs = now();
  let readAtMs = epochAtMs;
  /** When a read last failed or took too long; reset by a successful read */
  let troubleAtMs = Number.NEGATIVE_INFINITY;

  async function noting<T>(read: () => Promise<T>): Promise<T> {
    const startedAtMs = now();
    try {
      const result = await read();
      readAtMs = startedAtMs;
      troubleAtMs = Number.NEGATIVE_INFINITY;
      return result;
    } catch (error) {
      troubleAtMs = now();
      throw error;
    }
  }

  const readEverything = createSharedRead(() =>
    noting(async () => {
      const startedAtMs = now();
      known = await reads.everything();
      epochAtMs = startedAtMs;
      return known;
    }),
  );
  const readEvents = createSharedRead(() => noting(() => reads.events()));
  const hasEpoch = () => now() - epochAtMs <= maxAgeMs;

  /** Reads the latest state. Returns whether the chain responded in time. */
  async function refresh(): Promise<boolean> {
    const answered = (hasEpoch() ? readEvents() : readEverything()).then(
      () => true,
      () => false,
    );
    const isFresh = await Promise.race([answered, setTimeout(patienceMs, false, { ref: false })]);
    if (!isFresh) troubleAtMs = now();
    return isFresh;
  }

  return {
    now: readEverything,
    async ask(look, isFinal = () => false) {
      if (hasEpoch()) {
        const found = look(known);
        if (isFinal(found)) return found;
      }
      const isFresh = now() - troubleAtMs > maxAgeMs && (await refresh());
      if (now() - readAtMs > maxSilenceMs) await readEverything();
      const found = look(known);
      if (found.length > 0 || isFresh) return found;
      await readEverything();
      return look(known);
    },
  };
}
