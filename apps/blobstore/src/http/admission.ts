import type { ServerResponse } from 'node:http';
import type { onRequestAsyncHookHandler } from 'fastify';
import { tooManyRequests } from '../base/api-error.ts';

export interface ConcurrencyLimit {
  /** Requests processed at a time */
  concurrent: number;
  /** Requests processed and waiting together; further ones get 429 */
  buffered: number;
}

/**
 * A hook that lets `concurrent` requests run at a time, queues further ones in order, and responds 429 once
 * `buffered` are inside. A place is occupied until the response is finished or its client has disconnected. A client
 * that leaves the queue frees its place immediately, and its request is not processed. All routes of a part share one
 * hook.
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

  /** Whether a place became free before the client disconnected. */
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
    // The close event has already fired, so the listener below would never run.
    if (raw.closed) return void reply.hijack();
    if (working + waiting.size >= limit.buffered) throw tooManyRequests(part);
    if (working < limit.concurrent) working += 1;
    else if (!(await turn(raw))) return void reply.hijack();
    raw.once('close', leave);
  };
}
