import type { ServerResponse } from 'node:http';
import type { onRequestAsyncHookHandler } from 'fastify';
import { tooManyRequests } from '../base/api-error.ts';

export interface ConcurrencyLimit {
  /** Requests worked on at a time */
  concurrent: number;
  /** Requests worked on and waiting, together; one more is answered 429 */
  buffered: number;
}

/**
 * A hook that lets `concurrent` requests work at a time, keeps further ones waiting in order, and answers 429
 * once `buffered` are inside. A place is held until the response is finished or its client is gone; who leaves
 * while waiting makes room at once, and its request is not worked on. One hook is shared by all routes of a part.
 */
export function createAdmission(
  part: 'publisher' | 'aggregator',
  limit: ConcurrencyLimit,
): onRequestAsyncHookHandler {
  const waiting = new Set<() => void>();
  let working = 0;

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) working -= 1;
    else next();
  }

  /** Whether a place came free before the client left. */
  function turn(response: ServerResponse): Promise<boolean> {
    return new Promise((resolve) => {
      function end(hasPlace: boolean): void {
        waiting.delete(enter);
        response.off('close', leaveQueue);
        resolve(hasPlace);
      }
      const enter = () => end(true);
      const leaveQueue = () => end(false);
      waiting.add(enter);
      response.once('close', leaveQueue);
    });
  }

  return async (_request, reply) => {
    const { raw } = reply;
    // Its close would not be noticed anymore.
    if (raw.closed) return void reply.hijack();
    if (working + waiting.size >= limit.buffered) throw tooManyRequests(part);
    if (working < limit.concurrent) working += 1;
    else if (!(await turn(raw))) return void reply.hijack();
    raw.once('close', leave);
  };
}
