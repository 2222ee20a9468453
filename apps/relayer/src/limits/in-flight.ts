import { ApiError } from '@memrelay/protocol/errors';

/** Bounds the memory that requests under way hold, by the size of their bodies. */
export interface InFlight {
  /**
   * Runs `work` for a body of this size. Throws `overloaded` when there are too many bytes under way already, in all or of
   * this account.
   */
  run<T>(bodyBytes: number, work: () => Promise<T>, accountId?: string): Promise<T>;
}

/** What a request holds however small its body is: its envelope, its row, its connection */
const leastBytes = 64 * 1024;

export function createInFlight(maxBytes: number, maxAccountBytes = maxBytes): InFlight {
  let underWay = 0;
  const byAccount = new Map<string, number>();
  return {
    async run(bodyBytes, work, accountId = '') {
      const bytes = Math.max(bodyBytes, leastBytes);
      const own = byAccount.get(accountId) ?? 0;
      if (underWay + bytes > maxBytes || own + bytes > maxAccountBytes)
        throw new ApiError('overloaded', { retryAfter: 1 });
      underWay += bytes;
      byAccount.set(accountId, own + bytes);
      try {
        return await work();
      } finally {
        underWay -= bytes;
        const left = byAccount.get(accountId)! - bytes;
        if (left > 0) byAccount.set(accountId, left);
        else byAccount.delete(accountId);
      }
    },
  };
}
