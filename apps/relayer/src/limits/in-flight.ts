import { ApiError } from '@memrelay/protocol/errors';

/** Bounds the memory that requests under way hold, by the size of their bodies. */
export interface InFlight {
  /** Runs `work` for a body of this size. Throws `overloaded` when there are too many bytes under way already. */
  run<T>(bodyBytes: number, work: () => Promise<T>): Promise<T>;
}

/** What a request holds however small its body is: its envelope, its row, its connection */
const leastBytes = 64 * 1024;

export function createInFlight(maxBytes: number): InFlight {
  let underWay = 0;
  return {
    async run(bodyBytes, work) {
      const bytes = Math.max(bodyBytes, leastBytes);
      if (underWay + bytes > maxBytes) throw new ApiError('overloaded', { retryAfter: 1 });
      underWay += bytes;
      try {
        return await work();
      } finally {
        underWay -= bytes;
      }
    },
  };
}
