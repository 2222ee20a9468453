import type { WalrusState } from './walrus-system.ts';

/** How long the state counts as recent, in milliseconds. */
const maxAgeMs = 1000;

/** State that changes at most once per epoch, so that not every store needs to read it. */
export interface RecentState {
  /**
   * State that was read within the last second and, if `epoch` is given, belongs to it. Rejects if the read fails.
   */
  get(epoch?: number): Promise<WalrusState>;
  /** Makes the next `get` read again, because the chain rejected a request that was correct for this state. */
  forget(): void;
}

export function createRecentState(first: WalrusState, read: () => Promise<WalrusState>): RecentState {
  let known = first;
  let readAtMs = performance.now();

  return {
    async get(epoch = known.epoch) {
      if (known.epoch === epoch && performance.now() - readAtMs <= maxAgeMs) return known;
      const startedAtMs = performance.now();
      known = await read();
      readAtMs = startedAtMs;
      return known;
    },
    forget() {
      readAtMs = Number.NEGATIVE_INFINITY;
    },
  };
}
