/** How old an answer about what lives may be, in milliseconds. */
const maxAgeMs = 1000;

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

/** `read` brings what is known up to date and resolves to the epoch; calls at the same time share one read. */
export function createFreshness(read: () => Promise<number>): Freshness {
  let epoch: number | undefined;
  let attemptedAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<number> | undefined;

  function refresh(): Promise<number> {
    reading ??= (async () => {
      attemptedAtMs = performance.now();
      try {
        epoch = await read();
        return epoch;
      } finally {
        reading = undefined;
      }
    })();
    return reading;
  }

  /** The epoch as of a second ago or less, or the last one known while the chain does not answer. */
  async function recent(): Promise<number> {
    const last = epoch;
    if (last === undefined) return refresh();
    return performance.now() - attemptedAtMs <= maxAgeMs ? last : refresh().catch(() => last);
  }

  return {
    now: refresh,
    async ask(look) {
      const found = look(await recent());
      return found.length > 0 ? found : look(await refresh());
    },
  };
}
