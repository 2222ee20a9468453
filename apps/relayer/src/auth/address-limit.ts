import { ApiError } from '@memrelay/protocol/errors';
import { LRUCache } from 'lru-cache';

export interface AddressLimit {
  /**
   * Takes one unit of the address's budget before any costly work. Throws `rate_limited` when it is used up. The
   * returned function gives the unit back: it is called when the request turned out to be authentic, so that only
   * requests that fail, and those under way, use the budget up.
   */
  take(addressBlock: string): () => void;
}

interface Window {
  used: number;
  endsAtMs: number;
}

const windowMs = 60_000;

/** A budget per minute and address block, by a clock that does not jump: nobody is locked out by one that was set back. Remembers a bounded number of blocks, the longest unused are forgotten. */
export function createAddressLimit(perMinute: number, now = () => performance.now()): AddressLimit {
  const windows = new LRUCache<string, Window>({ max: 50_000 });
  return {
    take(addressBlock) {
      const nowMs = now();
      let window = windows.get(addressBlock);
      if (!window || nowMs >= window.endsAtMs) {
        window = { used: 0, endsAtMs: nowMs + windowMs };
        windows.set(addressBlock, window);
      }
      if (window.used >= perMinute)
        throw new ApiError('rate_limited', { retryAfter: Math.ceil((window.endsAtMs - nowMs) / 1000) });
      window.used += 1;
      const taken = window;
      return () => {
        taken.used -= 1;
      };
    },
  };
}
